import assert from 'node:assert/strict'
import test from 'node:test'
import { findNearestName, mapOption, missingColumnsText, nearestOption } from './column-suggestions.ts'

test('the nearest name is another spelling, a usual name of the field, or a few letters away', () => {
  const columns = ['Zip', 'Full name', 'E-Mail', 'Contry', 'Kundennummer', 'user ID', 'Colour']
  const expected = {
    Pincode: 'Zip',
    Name: 'Full name',
    Email: 'E-Mail',
    Country: 'Contry',
    User_id: 'user ID',
    DOB: undefined,
    State: undefined,
  }
  for (const [field, name] of Object.entries(expected)) assert.equal(findNearestName(field, columns), name, field)
  assert.equal(findNearestName('discount', ['Discount %', 'discount_percent']), undefined)
  assert.equal(findNearestName('Name', []), undefined)
  assert.equal(
    findNearestName('Germani', ['Germany', 'Germania', 'germany']),
    'Germany',
    'the first of equally near ones',
  )
  assert.equal(findNearestName('Name', ['x'.repeat(100_000)]), undefined)
})

test('a Dutch, French, Spanish or Italian file is recognised, and an e-mail address is the key only where no number is', () => {
  const wanted = ['User_id', 'Name', 'Pincode', 'Country', 'total_amount']
  const guess = (...columns: string[]) => wanted.map((field) => findNearestName(field, columns))
  for (const columns of [
    ['Klantnummer', 'Naam', 'Postcode', 'Land', 'Totaalbedrag'],
    ['Numéro client', 'Nom', 'Code postal', 'Pays', 'Total TTC'],
    ['Código cliente', 'Nombre', 'Código postal', 'País', 'Importe'],
    ['Codice cliente', 'Nome', 'CAP', 'Paese', 'Importo'],
  ])
    assert.deepEqual(guess(...columns, 'E-mail'), columns)
  assert.equal(findNearestName('User_id', ['Naam', 'E-mail']), 'E-mail')
})

test('missing columns are reported with the options to write, a line for each way', () => {
  assert.deepEqual(missingColumnsText(['Pincode', 'Name', 'DOB'], ['Zip', 'Full name']).split('\n  '), [
    'the first line has no column Pincode, Name, DOB',
    'perhaps: --map Pincode=Zip --map Name="Full name"',
    'one value for all records: --default DOB=...',
  ])
  assert.deepEqual(missingColumnsText(['products', 'order_id', 'total_amount', 'name'], ['Nr']).split('\n  '), [
    'the first line has no column products, order_id, total_amount, name',
    'from the column that has it: --map order_id=... --map total_amount=...',
    'where each line of an order has a row: --map products.product_sku_id=... --map products.qty=...',
    'where each row is an order: --default products=[]',
    'one value for all records: --default name=...',
  ])
  assert.equal(mapOption('Name', 'a"b$c'), '--map Name="a\\"b\\$c"')
})

test('a name that a file has in two columns is joined from both, and a column with the full name is better', () => {
  const cases = [
    [['Last name', 'First name'], '--map Name="First name"+" "+"Last name"'],
    [['Vorname', 'Nachname'], '--map Name=Vorname+" "+Nachname'],
    [['Nombre', 'Apellidos'], '--map Name=Nombre+" "+Apellidos'],
    [['First name', 'Last name', 'Customer name'], '--map Name="Customer name"'],
    [['Last name'], '--map Name="Last name"'],
    [['First name'], undefined],
  ] as const
  for (const [columns, option] of cases) assert.equal(nearestOption('Name', columns), option)
  assert.equal(nearestOption('name', ['Vorname', 'Nachname']), '--map name=Vorname+" "+Nachname')
})
