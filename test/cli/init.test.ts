import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { runCommand } from '../support/run-command.ts'
import { temporaryDirectory } from '../support/service-process.ts'
import { openServerApp } from '../support/test-app.ts'

test('init makes a program that passes its own test orders, and the settings of the shop, from a few answers', async (t) => {
  const app = await openServerApp(t)
  const directory = temporaryDirectory(t)
  const env = { LAUREL_TOKEN: app.token, LAUREL_DATA: directory }
  const init = (out: string, ...more: string[]) =>
    runCommand(['init', '--url', app.url, '--out', join(directory, out), ...more], env)
  const [shop, steep] = [
    await init(
      'shop.yaml',
      '--currency',
      'gbp',
      '--time-zone',
      'Europe/London',
      '--countries',
      'United Kingdom',
      '--levels',
      'Regular:0,Friend:100',
    ),
    // The first order lifts the player past the second level.
    await init(
      'steep',
      '--points',
      '700',
      '--every',
      '3',
      '--decimals',
      '0',
      '--countries',
      'India',
      '--levels',
      'A:0,B:5,"C":600',
    ),
  ]
  for (const { code, stdout, stderr } of [shop, steep]) assert.deepEqual([code, stderr], [0, ''], stdout)
  assert.match(
    shop.stdout,
    /^settings of the shop that change \(.*\):\n {2}money\.currency: GBP, was \(none\)\n {2}players\.required: Name,Country, was Name,DOB,\S+\n/,
  )
  assert.match(
    shop.stdout,
    /3 cases, all as expected\n\nRules for .*: docs\/cookbook\.md\nTo try .*: docs\/import\.md\n\nNext:\n {2}# .*\n {2}npx --no laurel program publish \S+ --from 2000-01-01T00:00:00Z\n/,
  )
  assert.match(readFileSync(join(directory, 'shop.yaml'), 'utf8'), /^time-zone: Europe\/London /m)
  assert.match(readFileSync(join(directory, 'shop.yaml'), 'utf8'), /money: \{ decimals: 2, currency: GBP \}/)
  assert(existsSync(join(directory, 'steep.cases.yaml')))
  const { body } = await app.ask('GET', '/api/admin/settings')
  const currency = body.settings.find(({ key }: { key: string }) => key === 'money.currency')
  assert.equal(currency.value, 'GBP', 'the second run names none')

  const json = await init('json.yaml', '--currency', 'USD', '--countries', 'US', '--json')
  const { settings, program, next } = JSON.parse(json.stdout)
  assert.deepEqual([settings['money.currency'], program], ['USD', join(directory, 'json.yaml')])
  const { stdout: help } = await runCommand(['init', '--help'], env)
  for (const key of Object.keys(settings)) assert(help.includes(key), key)
  const again = await init('again.yaml', '--currency', 'USD', '--countries', 'US')
  assert.match(again.stdout, /^no setting of the shop has to change\n/)
  assert.match(next[1], /^npx --no laurel import players FILE --dry-run --default Country=US$/)

  const past = ['--from', '2000-01-01T00:00:00Z']
  const published = await runCommand(
    ['program', 'publish', join(directory, 'shop.yaml'), '--url', app.url, ...past],
    env,
  )
  assert.match(published.stdout, /^Points is version 2, /)
  assert.equal((await app.ask('GET', '/api/admin/programs')).body.programs.length, 2, 'init itself publishes nothing')
})

test('init without --currency keeps the currency that is stored; where none is, it is the default', async (t) => {
  const app = await openServerApp(t)
  const env = { LAUREL_TOKEN: app.token, LAUREL_DATA: temporaryDirectory(t) }
  const init = (...more: string[]) =>
    runCommand(['init', '--url', app.url, '--countries', 'England', '--dry-run', ...more], env)
  assert.match((await init()).stdout, /^ {2}money\.currency: EUR, was \(none\)$/m)
  await app.ask('PUT', '/api/admin/settings', { body: { data: { 'money.currency': 'USD' } } })
  const { stdout } = await init()
  assert.doesNotMatch(stdout, /money\.currency/)
  assert.match(stdout, /^money: .*, currency: USD \}$/m)
  assert.match((await init('--currency', 'gbp')).stdout, /^ {2}money\.currency: GBP, was USD$/m)
})

test('init names every option that is wrong, before it looks for a service', async (t) => {
  const wrong = ['--time-zone', 'Eastern Time', '--levels', 'Bronze,Silver:100', '--points', 'x']
  const { code, stderr } = await runCommand(['init', ...wrong], { LAUREL_DATA: join(temporaryDirectory(t), 'none') })
  assert.equal(code, 2)
  assert.match(
    stderr,
    /^laurel: 3 options are invalid\n {2}--time-zone is "Eastern Time", .*\n {2}--points is "x", .*\n {2}--levels is "Bronze,Silver:100", .*\n$/,
  )
})

test('init overwrites no file, and writes nothing where an answer or a service is missing', async (t) => {
  const directory = temporaryDirectory(t)
  const out = join(directory, 'program.yaml')
  const env = { LAUREL_DATA: join(directory, 'none') }
  const run = (...more: string[]) => runCommand(['init', '--out', out, ...more], env)
  for (const [option, value] of [
    ['--currency', 'euros'],
    ['--decimals', '5'],
    ['--countries', 'India,,'],
    ['--time-zone', 'Berlin'],
    ['--points', '0'],
    ['--every', '1.5'],
    ['--levels', 'Silver:5'],
    ['--levels', 'A:0,B:0'],
    ['--levels', 'A:0,A:5'],
  ] as const) {
    const { code, stderr } = await run(option, value)
    assert.deepEqual([code, stderr.includes(`${option} is "${value}", expected `)], [2, true], stderr)
  }
  const nowhere = await run()
  assert.deepEqual([nowhere.code, /no database in/.test(nowhere.stderr)], [2, true])
  assert(!existsSync(out))
  writeFileSync(out, 'mine')
  assert.match((await run()).stderr, /program\.yaml exists already: add --force/)
  assert.equal(readFileSync(out, 'utf8'), 'mine')
})

test('a dry run of init prints what would change and the program, and changes nothing', async (t) => {
  const app = await openServerApp(t)
  const directory = temporaryDirectory(t)
  const env = { LAUREL_TOKEN: app.token, LAUREL_DATA: directory }
  const before = (await app.ask('GET', '/api/admin/settings')).text
  const out = join(directory, 'shop.yaml')
  const asked = [
    'init',
    '--url',
    app.url,
    '--out',
    out,
    '--currency',
    'GBP',
    '--countries',
    'United Kingdom',
    '--dry-run',
  ]
  const { code, stdout } = await runCommand(asked, env)
  assert.equal(code, 0)
  assert.match(
    stdout,
    /^settings of the shop that change \(npx --no laurel settings reset KEY .*:\n {2}money\.currency: GBP, was \(none\)\n/,
  )
  assert.match(stdout, /\nDry run, nothing was changed or written\. \S+shop\.yaml would be:\n\n#.*\nearn:/s)
  const json = JSON.parse((await runCommand([...asked, '--json'], env)).stdout)
  assert.deepEqual([json.dry_run, json.settings['money.currency']], [true, 'GBP'])
  assert.equal(existsSync(out), false)
  assert.equal((await app.ask('GET', '/api/admin/settings')).text, before)
})
