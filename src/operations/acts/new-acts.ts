import { randomBytes } from 'node:crypto'
import type { ActKind, NewActs } from '../../store/acts.ts'

const ID_BYTES = 9

/**
 * Something that a person does on one or several things, to be written in the transaction that does it. Made before it begins, so that work
 * that runs again writes the same rows. `subject` and `detail` have no personal data; `at` is RFC 3339, `by` the id of the caller's token.
 */
export function newActs(
  act: ActKind,
  { at, by }: Readonly<{ at: string; by: string }>,
  on: readonly Readonly<{ subject: string; detail?: Readonly<Record<string, unknown>> }>[],
): NewActs {
  const rows = on.map(({ subject, detail = {} }) => ({
    id: randomBytes(ID_BYTES).toString('base64url'),
    subject,
    detail,
  }))
  return { at, by, act, on: rows }
}
