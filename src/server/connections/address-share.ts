import { BlockList, isIPv6, type Socket } from 'node:net'
import { addressKey } from '../address-key.ts'

/** One address may have as much of the connections to a port. */
const SHARE = 0.5

/**
 * Whether a new connection is within the share of its address, half of `connectionsMax`; if it is, it counts until it closes. A trusted proxy has
 * no share of its own, since it carries all clients.
 */
export function createAddressShare(
  connectionsMax: number,
  trustedProxies: readonly string[],
): (socket: Pick<Socket, 'remoteAddress' | 'once'>) => boolean {
  const shareMax = Math.ceil(connectionsMax * SHARE)
  const trusted = new BlockList()
  for (const proxy of trustedProxies) {
    const [address = '', prefix] = proxy.split('/')
    if (prefix === undefined) trusted.addAddress(address, familyOf(address))
    else trusted.addSubnet(address, Number(prefix), familyOf(address))
  }
  const counts = new Map<string, number>()
  return (socket) => {
    const { remoteAddress: address } = socket
    // It has none if its client has gone already.
    if (address === undefined || trusted.check(address, familyOf(address))) return true
    const key = addressKey(address)
    const count = counts.get(key) ?? 0
    if (count >= shareMax) return false
    counts.set(key, count + 1)
    socket.once('close', () => {
      const left = counts.get(key)! - 1
      if (left === 0) counts.delete(key)
      else counts.set(key, left)
    })
    return true
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
