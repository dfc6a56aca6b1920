import { isIPv6 } from 'node:net'

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * By what clients of an address are counted: an IPv4 address itself, also in its IPv6 form; of an IPv6 address its /64 network, as a client can have
 * any address in it. Whatever else a trusted proxy names stays as it is.
 */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  const ipv4 = MAPPED.exec(address)?.[1]
  if (ipv4 !== undefined) return ipv4
  if (!isIPv6(address)) return address
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  // Without `::` all groups are there; an IPv4 address at the end is two.
  const zeros = Math.max(0, GROUPS - before.length - after.length - (address.includes('.') ? 1 : 0))
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after]
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
