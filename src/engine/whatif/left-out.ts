import type { Recorded } from '../points/ledger/recompute.ts'
import type { Profile } from '../points/ledger/snapshot.ts'
import type { Line, Order } from '../points/model.ts'

/** What callers without the scope `support` may not find out by trying rules on stored players and orders (decision 218). */
export const LEFT_OUT = [
  'birth date',
  'state',
  'district',
  'country',
  'attributes',
  'group',
  'attributes of orders and lines',
] as const

const NO_REGION = { region: '', district: '', country: '' } as const

/** A player without what is left out: rules that read it see nothing. A group is a hash of the ID: with many of them an ID could be found. */
export function withoutPersonalInputs<Known extends Profile>({ dateOfBirth, attributes, ...rest }: Known): Known {
  return { ...rest, ...NO_REGION, hidesId: true } as Known
}

/** A recorded order without what is left out: of its player, and its own attributes and those of its lines. Those of its products stay. */
export function withoutLeftOut<Known extends Recorded>(recorded: Known): Known {
  const { order, facts } = recorded
  return {
    ...recorded,
    order: withoutAttributes(order),
    facts: { ...facts, player: withoutPersonalInputs(facts.player) },
  }
}

function withoutAttributes({ attributes, lines, ...order }: Order): Order {
  return { ...order, lines: lines.map(({ attributes: _, ...line }): Line => line) }
}
