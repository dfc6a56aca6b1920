/*
 * The one table of bad input: for each field of the contract, the values that it must refuse.
 * Values are JSON texts, so that input which no JavaScript value can express (1e400, lone surrogates, repeated keys) can be sent too.
 */

const json = (...values: unknown[]) => values.map((value) => JSON.stringify(value))

const LONG_201 = 'x'.repeat(201)
const LONG_501 = 'x'.repeat(501)
const DEEP = '['.repeat(20) + ']'.repeat(20)

/** Wrong types and hostile shapes that no field accepts. */
const NEVER = [
  ...json({}, { toString: 1 }, { length: 5 }, { __proto__: null }),
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{}}}',
  DEEP,
  '[[]]',
]
const LISTS = json([], ['x'], [1])
const NUMBERS = ['0', '1', '-1', '1.5', '1e400', '-1e400', '9007199254740993']
const BOOLEANS = ['true', 'false']
const BROKEN_TEXTS = ['"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00x"', '"a\\ud800b"']
const CONTROLS = ['"a\\u0001b"', '"\\n"', '"a\\u007f"', '"a\\u0085"']

const notText = [...NEVER, ...LISTS, ...NUMBERS, ...BOOLEANS, ...BROKEN_TEXTS, ...json(LONG_501)]
const notKey = [...notText, ...CONTROLS, ...json('', LONG_201)]
const notWhole = [
  ...NEVER,
  ...LISTS,
  ...BOOLEANS,
  ...BROKEN_TEXTS,
  ...json(
    '',
    ' ',
    'x',
    '-1',
    '+1',
    '1e3',
    '0x10',
    '1_000',
    '1,000',
    '١',
    'NaN',
    'Infinity',
    '1 ',
    ' 1',
    '1'.repeat(400),
  ),
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '1e20',
  '9007199254740993',
  '0.1',
  '1e-7',
]
const notDecimal = [
  ...notWhole.filter((value) => !['1.5', '0.1', '9007199254740993'].includes(value)),
  ...json('1.', '.5', '1.23456', '1.2.3', '1234567890123456', '１'),
  '0.00001',
  '123456789.12345678',
  '9007199254740993',
]
const notDigits = [
  ...NEVER,
  ...LISTS,
  ...BOOLEANS,
  ...BROKEN_TEXTS,
  ...json(' ', 'x', '1 2', '12-34', '1'.repeat(16), '１２'),
  '-1',
  '1.5',
  '1e400',
  '1e21',
]
const notEmail = [
  ...notText,
  ...json('x', '@', 'a@b', '@b.c', 'a@', 'a b@c.de', 'a@b@c.de', 'a@b.', `${'x'.repeat(250)}@b.de`, '\t@b.c'),
]
const blank = json('', ' ', '\t', '\u00a0')

/** For each field of a record the values that it must refuse; `REQUIRED` adds absence and null. */
export type BadValues = Readonly<Record<string, readonly string[]>>

const REQUIRED = ['null', 'ABSENT'] as const

export const BAD_ORDERS: BadValues = {
  name: [...notText, ...json(''), ...REQUIRED],
  email: [...notEmail, ...json(''), ...REQUIRED],
  phone: [...NEVER, ...LISTS, ...BOOLEANS, ...BROKEN_TEXTS, ...json(LONG_501), '-1', '1.5', '1e400'],
  address: notText,
  products: [
    ...NEVER.filter((value) => !value.startsWith('[')),
    ...NUMBERS,
    ...BOOLEANS,
    ...BROKEN_TEXTS,
    ...json('', 'x', '{}', 'null', '[', '[1,]', '['.repeat(100_000)),
    ...REQUIRED,
  ],
  order_id: [...notKey, ...REQUIRED],
  total_amount: [...notWhole, ...json('1.0'), ...REQUIRED],
  discount: [...notWhole, ...REQUIRED],
  total_qty: notWhole,
  refferral_code: [...notText, ...REQUIRED],
  user_id: [...notKey, ...REQUIRED],
  subscript_points: [...NEVER, ...LISTS, ...NUMBERS, ...BROKEN_TEXTS, ...json('', 'yes', 'True', ' true')],
  status: [...notText, ...json('', 'Placed', 'shipped')],
  ordered_at: [
    ...notText,
    ...json(
      '',
      'now',
      '2026-01-01',
      '2026-13-01T00:00:00Z',
      '2026-01-32T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:00:00',
      '9999-12-31T23:59:59Z',
      '+275760-09-13T00:00:00Z',
    ),
  ],
}

export const BAD_LINES: BadValues = {
  product_sku_id: notKey,
  amount: notDecimal,
  qty: notDecimal,
}

export const BAD_PLAYERS: BadValues = {
  Name: [...notText, ...blank, ...REQUIRED],
  Email: notEmail,
  Phone: [...notDigits, ...json('+', '++1', '1+1')],
  Add: notText,
  DOB: [
    ...notText,
    ...json(
      '',
      '31-02-2000',
      '2000-01-01',
      '01-13-2000',
      '00-01-2000',
      '31-12-1899',
      '01-01-2999',
      '1-1-2000',
      '01-01-20000',
      '01.01.2000',
    ),
    ...REQUIRED,
  ],
  Gender: [...notText, ...json('', 'Male', 'other', 'male '), ...REQUIRED],
  Refercode: [...notText, ...REQUIRED],
  State: [...notText, ...blank, ...REQUIRED],
  District: notText,
  RefBy: notText,
  Pincode: [...notDigits, ...json('', '+1'), ...REQUIRED],
  Country: [...notText, ...blank, ...REQUIRED],
  User_id: [...notKey, ...blank, ...REQUIRED],
}

export const BAD_PRODUCTS: BadValues = {
  product_sku_id: [...notKey, ...REQUIRED],
  amount: [...notDecimal, ...REQUIRED],
}

/** The JSON of a record with one field replaced by a JSON text, or left out. */
export function withField(record: object, field: string, value: string): string {
  const others = Object.entries(record).filter(([name]) => name !== field)
  const fields = others.map(([name, known]) => `${JSON.stringify(name)}:${JSON.stringify(known)}`)
  if (value !== 'ABSENT') fields.push(`${JSON.stringify(field)}:${value}`)
  return `{${fields.join(',')}}`
}

/** Whole bodies that every operation must refuse, with the path of the fault. */
export const BAD_BODIES: readonly (readonly [name: string, body: Buffer, path: string])[] = [
  ['nothing but a blank', Buffer.from(' '), 'body'],
  ['half a JSON', Buffer.from('{"data":'), 'body'],
  ['a text after the JSON', Buffer.from('{"data":[]}x'), 'body'],
  ['two JSONs', Buffer.from('{"data":[]}{"data":[]}'), 'body'],
  ['single quotes', Buffer.from("{'data':[]}"), 'body'],
  ['a comment', Buffer.from('{"data":[]/**/}'), 'body'],
  ['NaN', Buffer.from('{"data":NaN}'), 'body'],
  ['a raw NUL', Buffer.from('{"data":"\0"}'), 'body'],
  ['only NULs', Buffer.alloc(100), 'body'],
  ['a byte order mark', Buffer.from('\ufeff{"data":[]}'), 'body'],
  ['UTF-16', Buffer.from('{"data":[]}', 'utf16le'), 'body'],
  ['latin-1', Buffer.from('{"data":"caf\u00e9"}', 'latin1'), 'body'],
  ['an overlong encoding', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]), 'body'],
  ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'body'],
  ['33 levels', Buffer.from(`{"data":${'['.repeat(32)}${']'.repeat(32)}}`), 'body'],
  ['100,000 levels', Buffer.from(`{"data":${'['.repeat(100_000)}`), 'body'],
  ['100,000 levels of objects', Buffer.from(`${'{"data":'.repeat(12_000)}1`), 'body'],
  ['a list', Buffer.from('[]'), 'body'],
  ['a text', Buffer.from('"data"'), 'body'],
  ['a number', Buffer.from('1'), 'body'],
  ['null', Buffer.from('null'), 'body'],
  ['no data', Buffer.from('{}'), 'data'],
  ['data of another case', Buffer.from('{"Data":[]}'), 'data'],
  ['data of the prototype', Buffer.from('{"__proto__":{"data":[]}}'), 'data'],
  ['null for data', Buffer.from('{"data":null}'), 'data'],
  ['a number for data', Buffer.from('{"data":1e400}'), 'data'],
  ['a text for data', Buffer.from('{"data":"[]"}'), 'data'],
]
