/*
 * Forgetting a version that was sent too high. What versions mean is in engine/points/ledger/state-versions.ts.
 */
import { changeAndRecord } from '../../audit-log/record-acts.ts'
import type { Deps } from '../../deps.ts'
import { shortened } from '../../engine/ingest/shown.ts'
import { NotFound } from '../../errors.ts'
import { forgetOrderVersion } from '../../ledger/recorded-orders.ts'
import { forgetPlayerVersion } from '../players/service.ts'
import { forgetProductVersion } from '../products/service.ts'

const FORGET = { order: forgetOrderVersion, player: forgetPlayerVersion, product: forgetProductVersion } as const

export type VersionedRecordType = keyof typeof FORGET

/** Whether records of this kind carry versions of their state. */
export function isVersionedRecordType(noun: string): noun is VersionedRecordType {
  return Object.hasOwn(FORGET, noun)
}

/** The record, its name in the acts, and the id of the caller's token. */
type ForgottenVersion = Readonly<{ noun: VersionedRecordType; key: string; subject: string; by: string }>

/**
 * Clears the version of a record's state, so that the next state is accepted whatever its version (decision 71). Idempotent.
 * Errors: NotFound, Unavailable.
 */
export async function forgetVersion(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { noun, key, subject, by }: ForgottenVersion,
  deadlineAt: number,
): Promise<void> {
  const at = now().toISOString()
  await changeAndRecord(db, { act: 'version-forgotten', at, deadlineAt }, async (tx) => {
    const hadVersion = await FORGET[noun](tx, key)
    if (hadVersion === undefined) throw new NotFound(`${noun} ${shortened(key)} not found`)
    return { response: undefined, record: hadVersion ? { by, subject, detail: { noun } } : undefined }
  })
}
