import assert from 'node:assert/strict'
import test from 'node:test'
import { BAD_LINES, BAD_ORDERS, BAD_PLAYERS, BAD_PRODUCTS, withField } from '../../../test/support/bad-values.ts'
import { anOrder, aPlayer, aProduct } from '../../../test/support/builders.ts'
import { type RecordKind, type RecordPlace, type RejectedRecord, readOne } from './batch.ts'
import { orderKind } from './order.ts'
import { playerKind } from './player-kind.ts'
import { productKind } from './product.ts'
import { SHOP_DEFAULTS } from './shop-settings.ts'

const NOW = new Date('2026-06-01T12:00:00Z')
const ORDERS = orderKind(NOW)

function rejectedFrom(json: string, kind: RecordKind<RecordPlace>): RejectedRecord | undefined {
  const read = readOne(JSON.parse(json), kind, 3)
  return 'rejected' in read ? read.rejected : undefined
}

test('every bad value of every field is rejected with the kind that its sentence names', () => {
  const line = (field: string, value: string) =>
    withField(anOrder(), 'products', `[{},${withField({ amount: '1', qty: '1' }, field, value)}]`)
  const tables = [
    [BAD_PLAYERS, playerKind(NOW, SHOP_DEFAULTS), (field: string, value: string) => withField(aPlayer(), field, value)],
    [BAD_PRODUCTS, productKind, (field: string, value: string) => withField(aProduct(), field, value)],
    [BAD_ORDERS, ORDERS, (field: string, value: string) => withField(anOrder(), field, value)],
    [BAD_LINES, ORDERS, line],
  ] as const
  const kinds = new Set<string>()
  let cases = 0
  for (const [table, kind, jsonWith] of tables)
    for (const [field, values] of Object.entries(table))
      for (const value of values) {
        const rejected = rejectedFrom(jsonWith(field, value), kind)
        // How many decimals an amount may have is up to the program in effect.
        if (rejected === undefined) continue
        const isMissing = rejected.error.startsWith(`${field} is required`)
        // The kind is the words between `expected` and the first `, got `: no sentence shows a value before that.
        const expected = isMissing ? 'required' : /^expected (.+?), got /s.exec(rejected.error)?.[1]
        assert.deepEqual([rejected.kind, rejected.verdict], [expected, undefined], rejected.error)
        kinds.add(expected!)
        cases += 1
      }
  assert(kinds.size > 25 && cases > 900, `only ${kinds.size} kinds in ${cases} cases`)
})

test('what several fields or a whole record must be has a kind as well', () => {
  const withFields = (fields: object) => JSON.stringify({ ...anOrder(), ...fields })
  const cases = [
    ['"secret"', 'an object'],
    [withFields({ ordered_at: '2026-07-01T00:00:00Z' }), 'a timestamp at most 5 minutes ahead'],
    [withFields({ redemption_id: 'secret' }), 'points_redeemed with redemption_id'],
  ] as const
  for (const [json, kind] of cases) assert.equal(rejectedFrom(json, ORDERS)?.kind, kind)
})
