import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { anOrder, aPlayer } from '../../../test/support/builders.ts'
import { readOrder, tooManyDecimals } from '../../engine/ingest/order.ts'
import { playerFields } from '../../engine/ingest/player.ts'
import { readRecord } from '../../engine/ingest/record.ts'
import { SHOP_DEFAULTS, type ShopSettings, shopSettingsWith } from '../../engine/ingest/shop-settings.ts'
import { InvalidInput } from '../../errors.ts'
import { createOrderChanges, createPlayerChanges, type SettingChange, shopAfter } from './setting-changes.ts'

const NOW = new Date('2026-06-01T12:00:00Z')
const absent = fc.constantFrom(undefined, null, '')
/** Values that no setting accepts are rare, since a record is saved only where every field is. */
const field = (savable: unknown[], lost: unknown[]) =>
  fc.oneof(
    { arbitrary: absent, weight: 3 },
    { arbitrary: fc.constantFrom(...savable), weight: 6 },
    ...(lost.length > 0 ? [{ arbitrary: fc.constantFrom(...lost), weight: 1 }] : []),
  )

const records = fc
  .record(
    {
      Name: field(['Emma'], ['  ']),
      DOB: field(['1990-07-01', '01-07-1990'], ['31-02-1990', '1.7.1990']),
      Gender: field(['female', 'diverse', 'Frau'], ['a,b', ' x', 'y'.repeat(51), 5]),
      Pincode: field(['SW1A 1AA', '10115', 5], [-1, 'a\\b', '  ']),
      Phone: field(['+49 170 1234567', '0170 123'], ['0170/123', 'none']),
      State: absent,
      Refercode: absent,
      Email: field(['emma@example.com'], ['emma']),
      User_id: fc.oneof({ arbitrary: fc.constant('u-1'), weight: 9 }, { arbitrary: fc.constant(''), weight: 1 }),
    },
    { requiredKeys: [] },
  )
  .map((parts) => aPlayer(parts))

const shops = fc.constantFrom<ShopSettings>(
  SHOP_DEFAULTS,
  shopSettingsWith({ 'players.required': ['Name', 'Pincode'], 'players.pincode': 'text' }),
  shopSettingsWith({ 'players.genders': Array.from({ length: 20 }, (_, n) => `g-${n}`), 'players.phone': 'lenient' }),
)

function isValid(record: unknown, shop: ShopSettings): boolean {
  try {
    readRecord(playerFields(NOW, shop), record, '')
    return true
  } catch (error) {
    assert(error instanceof InvalidInput)
    return false
  }
}

test('the changes for a player are the fewest that make the record valid, and are found wherever settings can make it so', () => {
  let saved = 0
  fc.assert(
    fc.property(shops, records, (shop, record) => {
      const changes = createPlayerChanges(shop, NOW)(record, [])
      if (changes === undefined) {
        const mostLenient = shopSettingsWith({
          ...shop,
          'players.required': [],
          'players.genders': ['female', 'diverse', 'Frau'],
          'players.pincode': 'text',
          'players.phone': 'lenient',
          'players.dates': ['DD-MM-YYYY', 'YYYY-MM-DD'],
        })
        const isFull = shop['players.genders'].length === 20
        return isValid(record, shop) || isFull || !isValid(record, mostLenient)
      }
      saved += 1
      assert(isValid(record, shopAfter(shop, changes)), JSON.stringify(changes))
      for (const left of changes)
        assert(
          !isValid(
            record,
            shopAfter(
              shop,
              changes.filter((change) => change !== left),
            ),
          ),
          JSON.stringify(left),
        )
      return true
    }),
    { numRuns: 1_000 },
  )
  assert(saved > 100, `${saved}`)
})

test('genders are proposed only as long as the setting has room for them', () => {
  const find = createPlayerChanges(SHOP_DEFAULTS, NOW)
  const found = Array.from({ length: 30 }, (_, n) => find(aPlayer({ Gender: `g-${n}` }), []))
  const proposed = found.flatMap((changes) => changes ?? [])
  assert.equal(proposed.length, 18)
  assert.equal(shopAfter(SHOP_DEFAULTS, proposed)['players.genders'].length, 20)
  assert.deepEqual(find(aPlayer({ Gender: 'g-3' }), []), found[3], 'a proposed one stays proposed')
})

test('more decimals are proposed for an order only where nothing else is wrong with it', () => {
  const find = createOrderChanges(NOW)
  const issuesOf = (record: unknown): { field: string; error: string }[] => {
    const { total, decimals } = readOrder(record, '', NOW)
    return [{ field: 'total_amount', error: tooManyDecimals(total, decimals?.total) }]
  }
  const cases: [object, readonly SettingChange[] | undefined][] = [
    [{ total_amount: '12.50' }, [{ setting: 'money.decimals', value: 2 }]],
    [{ total_amount: 24.5 }, [{ setting: 'money.decimals', value: 2 }]],
    [{ total_amount: '1.125', discount: '0.5' }, [{ setting: 'money.decimals', value: 3 }]],
    [{ total_amount: '12' }, undefined],
  ]
  for (const [parts, expected] of cases) assert.deepEqual(find(anOrder(parts), issuesOf(anOrder(parts))), expected)
  const cents = anOrder({ total_amount: '12.50' })
  const unknown = { field: 'user_id', error: 'player u-1 not found: send players first' }
  assert.equal(find(cents, [unknown]), undefined)
  assert.equal(find(cents, [...issuesOf(cents), unknown]), undefined)
  assert.equal(find({ ...cents, email: 'x' }, issuesOf(cents)), undefined)
})
