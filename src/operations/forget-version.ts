import { NotFound } from '../errors.ts'
import { shortened } from '../ingest/shown.ts'
import { forgetOrderVersion } from '../store/orders.ts'
import { playerStates } from '../store/players.ts'
import { productStates } from '../store/products.ts'
import type { Deps } from './deps.ts'

const FORGET = { order: forgetOrderVersion, player: playerStates.forget, product: productStates.forget } as const

export type VersionedNoun = keyof typeof FORGET

export function isVersionedNoun(noun: string): noun is VersionedNoun {
  return Object.hasOwn(FORGET, noun)
}

/**
 * Forgets the version of a record's state, so that the next state is taken whatever its version (decision 71). Twice is no error.
 * Errors: NotFound, Unavailable.
 */
export async function forgetVersion(
  { db }: Pick<Deps, 'db'>,
  noun: VersionedNoun,
  key: string,
  deadlineAt: number,
): Promise<void> {
  const found = await db.transaction((tx) => FORGET[noun](tx, key), deadlineAt)
  if (!found) throw new NotFound(`there is no ${noun} ${shortened(key)}`)
}
