/** The address of a path of the service at `url`, which may have a path itself, such as one behind a proxy. */
export function addressAt(url: string, path: string): URL {
  const base = new URL(url)
  return new URL(`${base.pathname.replace(/\/+$/, '')}${path}`, base.origin)
}
