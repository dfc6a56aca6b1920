import type { Profile } from '../points/ledger/snapshot.ts'

/** What callers without the scope `support` may not find out by trying rules on stored players (decision 218). */
export const LEFT_OUT = ['birth date', 'state', 'district', 'country', 'attributes', 'group'] as const

const NO_REGION = { region: '', district: '', country: '' } as const

/** A player without what is left out: rules that read it see nothing. A group is a hash of the ID: with many of them an ID could be found. */
export function withoutPersonalInputs<Known extends Profile>({ dateOfBirth, attributes, ...rest }: Known): Known {
  return { ...rest, ...NO_REGION, hidesId: true } as Known
}
