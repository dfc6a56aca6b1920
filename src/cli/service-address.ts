/** The address of a path of the service at `url`, which may have a path itself, such as one behind a proxy. */
export function addressAt(url: string, path: string): URL {
  const base = new URL(url)
  return new URL(`${base.pathname.replace(/\/+$/, '')}${path}`, base.origin)
}

/** The address that signs a browser in. What follows # is not sent with the request, so no log has it. */
export function consoleLink(serviceUrl: string, code: string): string {
  return `${reachableAt(serviceUrl, '/console/')}#code=${code}`
}

/** The address of a path for other programs: a service that listens on every address is reached on this machine's. */
export function reachableAt(serviceUrl: string, path: string): URL {
  const url = addressAt(serviceUrl, path)
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return url
}
