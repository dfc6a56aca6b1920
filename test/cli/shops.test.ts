/*
 * The first day of three shops: from an empty service and their own (made up) files to a prediction and a backtest, with the settings that a
 * dry run says to type.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { anOrder } from '../support/builders.ts'
import { PROJECT } from '../support/docs-blocks.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { openServerApp } from '../support/test-app.ts'

const FILES = join(PROJECT, 'examples', 'files')
const MAIN = join(PROJECT, 'src/cli/main.ts')
/** Twice the points of the program that every service begins with. */
const GENEROUS = `name: Generous
rounding: floor
money: { decimals: 2 }
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn:
  - { name: base, per-amount: { points: 2, every: 10, of: net } }
`

type Counts = Readonly<{ inserted: number; skipped: number }>

/** A service without customers, and a person who uses it: `commands` are those that the dry run prints. */
async function firstDay(t: TestContext) {
  const app = await openServerApp(t)
  const cwd = temporaryDirectory(t)
  const env = { LAUREL_TOKEN: app.token, LAUREL_DATA: cwd }
  const read = async (noun: string, file: string, options: readonly string[]) => {
    const path = join(FILES, file)
    const args = ['import', noun, path, '--url', app.url, '--skipped', join(cwd, 'skipped'), '--json', ...options]
    const { code, stdout, stderr } = await runCommand(args, env)
    assert([0, 4].includes(code!), stderr)
    return JSON.parse(stdout)
  }
  return {
    app,
    read,
    /** A dry run, the commands that it prints, and the import. */
    bring: async (
      noun: string,
      file: string,
      options: readonly string[],
      commands: readonly string[],
    ): Promise<Counts> => {
      const dry = await read(noun, file, ['--dry-run', ...options])
      const said: string[] = dry.other_settings.commands
      assert.deepEqual(
        said.map((command) => command.replaceAll(` --url ${app.url}`, '')),
        commands,
      )
      const npx = `npx() { shift 2; "${process.execPath}" "${MAIN}" "$@"; }`
      if (said.length > 0)
        await promisify(execFile)('sh', ['-ec', [npx, ...said].join('\n')], { cwd, env: { ...process.env, ...env } })
      const { inserted, skipped } = await read(noun, file, options)
      assert.equal(inserted, dry.inserted + dry.other_settings.would_save, 'as many are saved as the dry run said')
      return { inserted, skipped }
    },
    /** The points that an order of 100 would earn. */
    predicted: async (userId: string) => {
      const { status, text, body } = await app.predict(
        anOrder({ user_id: userId, order_id: 'next', total_amount: '100' }),
      )
      assert.equal(status, 200, text)
      return body.total_points
    },
    backtested: async () => {
      const program = join(cwd, 'generous.yaml')
      writeFileSync(program, GENEROUS)
      const { stdout, stderr } = await runCommand(['program', 'backtest', program, '--json'], {
        DATABASE_URL: app.databaseUrl,
        LAUREL_DATA: cwd,
      })
      const { orders, points, unlike_ledger } = JSON.parse(stdout || assert.fail(stderr))
      return { orders, before: points.before, after: points.after, unlike: unlike_ledger }
    },
  }
}

test('a fashion shop in the United Kingdom gets from its Shopify exports to a prediction and a backtest', async (t) => {
  const { bring, predicted, backtested } = await firstDay(t)
  const preset = ['--preset', 'shopify']
  const settings = [
    'npx --no laurel settings set players.required Name,Country,Refercode',
    'npx --no laurel settings set players.pincode text',
  ]
  assert.deepEqual(await bring('players', 'fashion-customers.csv', [...preset, '--default', 'Country=GB'], settings), {
    inserted: 3,
    skipped: 0,
  })
  assert.deepEqual(await bring('products', 'fashion-products.csv', preset, []), { inserted: 3, skipped: 0 })
  const cents = [
    "(npx --no laurel program show; echo 'money: { decimals: 2 }') > shop.yaml && npx --no laurel program publish shop.yaml",
  ]
  assert.deepEqual(await bring('orders', 'fashion-orders.csv', preset, cents), { inserted: 5, skipped: 0 })
  assert.equal(await predicted('amelia.hart@example.com'), 10)
  // 195 and 24.50 for the one, 60 for the other: two orders were returned.
  assert.deepEqual(await backtested(), { orders: 5, before: '27', after: '55', unlike: 0 })
})

test('a grocer in Germany gets from semicolons and Latin-1 to a prediction and a backtest', async (t) => {
  const { bring, predicted, backtested } = await firstDay(t)
  const table = ['--encoding', 'latin1', '--delimiter', ';', '--decimal', 'comma']
  const mapped = (text: string) => text.split(' ').flatMap((one) => ['--map', one])
  const who = [
    ...mapped('User_id=Kundennummer Email=E-Mail Phone=Telefon Add=Straße District=Ort Pincode=PLZ DOB=Geburtsdatum'),
    ...['--map', 'Name=Vorname+" "+Nachname', '--date-format', 'D.M.YYYY', '--default', 'Country=DE'],
  ]
  assert.deepEqual(
    await bring(
      'players',
      'grocer-kunden.csv',
      [...table, ...who],
      ['npx --no laurel settings set players.required Name,DOB,Pincode,Country'],
    ),
    { inserted: 2, skipped: 1 },
  )
  const prices = mapped('product_sku_id=Artikelnummer amount=Preis')
  assert.deepEqual(await bring('products', 'grocer-preise.csv', [...table, ...prices], []), { inserted: 3, skipped: 1 })
  const bons = [
    ...mapped('order_id=Bonnummer user_id=Kundennummer name=Kunde email=Mail ordered_at=Datum'),
    ...mapped('total_amount=Summe discount=Rabatt'),
    ...mapped('products.product_sku_id=Artikel products.qty=Menge products.amount=Betrag'),
    ...['--date-format', 'DD.MM.YYYY', '--time-zone', 'Europe/Berlin', '--default', 'refferral_code='],
  ]
  assert.deepEqual(await bring('orders', 'grocer-bons.csv', [...table, ...bons], []), { inserted: 2, skipped: 0 })
  assert.equal(await predicted('K-100'), 10)
  assert.deepEqual(await backtested(), { orders: 2, before: '4', after: '8', unlike: 0 })
})

test('a coffee shop in the United States gets from its WooCommerce exports to a prediction and a backtest', async (t) => {
  const { bring, predicted, backtested } = await firstDay(t)
  const preset = ['--preset', 'woocommerce']
  const settings = ['npx --no laurel settings set players.required Name,Country,Refercode']
  assert.deepEqual(await bring('players', 'coffee-customers.csv', [...preset, '--default', 'Country=US'], settings), {
    inserted: 3,
    skipped: 0,
  })
  assert.deepEqual(await bring('products', 'coffee-products.csv', preset, []), { inserted: 3, skipped: 0 })
  const zone = ['--time-zone', 'America/Los_Angeles']
  const cents = [
    "(npx --no laurel program show; echo 'money: { decimals: 2 }') > shop.yaml && npx --no laurel program publish shop.yaml",
  ]
  assert.deepEqual(await bring('orders', 'coffee-orders.csv', [...preset, ...zone], cents), { inserted: 3, skipped: 1 })
  assert.equal(await predicted('teri@example.com'), 10)
  assert.deepEqual(await backtested(), { orders: 3, before: '7', after: '14', unlike: 0 })
})
