import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { COLUMNS, openCsv, readInvoices } from './invoices.ts'

function invoicesOf(...lines: string[]) {
  return readInvoices(Readable.from([`${[COLUMNS.join(), ...lines].join('\n')}\n`]))
}

test('the lines of an invoice are joined wherever they stand in the file, and the first one gives its time', async () => {
  const invoices = await invoicesOf(
    '1,A,"X, ""Y""",1,2011-01-01 10:00:00,0.001,7.0,Norway',
    'C2,A,,-1,2011-01-01 10:00:00,2.5,,Norway',
    '1,a,,3,2011-01-01 10:01:00,12,7.0,Norway',
  )
  assert.deepEqual(invoices, [
    {
      number: '1',
      customer: '7',
      country: 'Norway',
      at: '2011-01-01T10:00:00Z',
      lines: [
        { sku: 'A', quantity: 1n, priceE4: 10n, at: '2011-01-01T10:00:00Z', row: 1 },
        { sku: 'a', quantity: 3n, priceE4: 120_000n, at: '2011-01-01T10:01:00Z', row: 3 },
      ],
    },
    {
      number: 'C2',
      customer: '',
      country: 'Norway',
      at: '2011-01-01T10:00:00Z',
      lines: [{ sku: 'A', quantity: -1n, priceE4: 25_000n, at: '2011-01-01T10:00:00Z', row: 2 }],
    },
  ])
})

test('a malformed file is refused with the number of the line', async () => {
  const good = '1,A,,1,2011-01-01 10:00:00,1,7.0,Norway'
  const cases: [string, RegExp][] = [
    ['1,A,,1.5,2011-01-01 10:00:00,1,7.0,Norway', /line 2: Quantity "1.5"/],
    ['1,A,,1,2011-02-30 10:00:00,1,7.0,Norway', /line 2: InvoiceDate/],
    ['1,A,,1,1/2/2011 10:00,1,7.0,Norway', /line 2: InvoiceDate/],
    ['1,A,,1,2011-01-01 10:00:00,1e3,7.0,Norway', /line 2: UnitPrice/],
    ['1,A,,1,2011-01-01 10:00:00,1,seven,Norway', /line 2: CustomerID/],
    ['1,A,,1,2011-01-01 10:00:00,1,8.0,Norway', /line 2: invoice 1 names a second customer/],
    ['1,A,,1', /Invalid Record Length/],
  ]
  for (const [line, error] of cases) await assert.rejects(invoicesOf(good, line), error)
  await assert.rejects(readInvoices(Readable.from(['a,b\n'])), /the heading is "a,b"/)
  await assert.rejects(readInvoices(Readable.from([])), /the file is empty/)
  for (const path of ['none.csv', 'none.csv.gz']) await assert.rejects(readInvoices(openCsv(path)), /ENOENT/)
})
