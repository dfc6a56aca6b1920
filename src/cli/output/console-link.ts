/** The address that signs a browser in: what stands behind # is sent to nobody, and no log has it. */
export function consoleLink(serviceUrl: string, code: string): string {
  const url = new URL('/console/', serviceUrl)
  // What listens at every address is asked at this machine's.
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return `${url}#code=${code}`
}
