import assert from 'node:assert/strict'
import test from 'node:test'
import { InvalidInput } from '../../errors.ts'
import { readShopChanges, SHOP_SETTING_KEYS } from './shop-settings.ts'

const changed = (data: unknown) => readShopChanges(data, 'data')

function refusal(data: unknown): string {
  try {
    return `read as ${JSON.stringify(changed(data))}`
  } catch (error) {
    assert(error instanceof InvalidInput, String(error))
    return `${error.path}: ${error.message}`
  }
}

test('settings are read by key, lists also as comma-separated texts, and null resets to the default (decision 70)', () => {
  const read = changed({
    'money.currency': 'EUR',
    'money.point-value': '0.0100',
    'players.required': 'Name, Country',
    'players.genders': ['female', 'divers', 'x y'],
    'players.pincode': 'text',
    'players.phone': null,
    'players.dates': 'YYYY-MM-DD, DD-MM-YYYY',
  })
  assert.deepEqual(read, {
    'money.currency': 'EUR',
    'money.point-value': '0.01',
    'players.required': ['Name', 'Country'],
    'players.genders': ['female', 'divers', 'x y'],
    'players.pincode': 'text',
    'players.phone': null,
    'players.dates': ['DD-MM-YYYY', 'YYYY-MM-DD'],
  })
  assert.deepEqual(changed({ 'players.required': '' }), { 'players.required': [] })
  assert.deepEqual(changed(Object.fromEntries(SHOP_SETTING_KEYS.map((key) => [key, null])))['players.genders'], null)
})

test('an invalid or unknown setting is refused with its key and what was expected', () => {
  const genders = /^data\.players\.genders: expected /
  const cases: [unknown, RegExp][] = [
    [null, /^data: expected an object of settings by key/],
    [[], /^data: expected an object of settings/],
    ['players.phone=lenient', /^data: expected an object of settings/],
    [{ 'players.fone': 'lenient' }, /^data\.players\.fone: unknown setting, expected one of money\.currency, /],
    [{ toString: 'x' }, /^data\.toString: unknown setting/],
    [{ 'money.currency': 'euro' }, /^data\.money\.currency: expected /],
    [{ 'money.point-value': '0.00001' }, /^data\.money\.point-value: expected /],
    [{ 'players.required': 'Email' }, /^data\.players\.required: expected /],
    [{ 'players.required': 5 }, /^data\.players\.required: expected /],
    [{ 'players.genders': [] }, genders],
    [{ 'players.genders': ' ' }, genders],
    [{ 'players.genders': ['female', ''] }, genders],
    [{ 'players.genders': ['a\\b'] }, genders],
    [{ 'players.genders': ['a\tb'] }, genders],
    [{ 'players.genders': ['a\ud800'] }, genders],
    [{ 'players.genders': ['y'.repeat(51)] }, genders],
    [{ 'players.genders': Array.from({ length: 21 }, (_, n) => `g${n}`) }, genders],
    [{ 'players.pincode': 'letters' }, /^data\.players\.pincode: expected digits or text/],
    [{ 'players.dates': 'YYYY-MM-DD' }, /^data\.players\.dates: expected DD-MM-YYYY, or /],
    [{ 'players.dates': 5 }, /^data\.players\.dates: expected DD-MM-YYYY, or /],
  ]
  for (const [data, expected] of cases) assert.match(refusal(data), expected)
})
