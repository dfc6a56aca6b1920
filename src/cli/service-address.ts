/** The address of a path of the service at `url`, which may have a path itself, such as one behind a proxy. */
export function addressAt(url: string, path: string): URL {
  const base = new URL(url)
  return new URL(`${base.pathname.replace(/\/+$/, '')}${path}`, base.origin)
}

/** The address that signs a browser in. What follows # is not sent with the request, so no log has it. */
export function consoleLink(serviceUrl: string, code: string): string {
  const url = addressAt(serviceUrl, '/console/')
  // A service that listens on every address is reached on this machine's.
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return `${url}#code=${code}`
}
