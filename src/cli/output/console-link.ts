import { addressAt } from '../service-address.ts'

/** The address that signs a browser in. What follows # is not sent with the request, so no log has it. */
export function consoleLink(serviceUrl: string, code: string): string {
  const url = addressAt(serviceUrl, '/console/')
  // A service that listens on every address is reached on this machine's.
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return `${url}#code=${code}`
}
