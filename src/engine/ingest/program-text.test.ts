import assert from 'node:assert/strict'
import test from 'node:test'
import { STARTER_PROGRAM } from '../points/starter-program.ts'
import { readProgramText, readStoredProgram } from './program-text.ts'

const aText = (counts: string, referral: string, rule = 'base') => `name: Window
rounding: floor
levels:
  counts: ${counts}
  ladder:
    - { name: Bronze, from: 0 }
earn:
  - name: ${rule}
    per-amount: { points: 1, every: 10 }
referral:
  ${referral}
`

function issuesOf(text: string): string[] {
  const read = readProgramText(text)
  return 'issues' in read ? read.issues.map(({ path, line, error }) => `${line} ${path}: ${error}`) : []
}

test('faults of a window, a referral and a reserved name are reported with path and line, all at once', () => {
  const bad = aText('{ window: P1Y }', 'friend: fifty\n  counts: maybe')
  assert.deepEqual(issuesOf(bad), [
    '4 levels.counts.window: expected a duration in months like P12M, between P1M and P999M',
    '11 referral.referrer: is required',
    '11 referral.friend: expected a non-negative integer',
    '12 referral.counts: expected true or false',
  ])
  assert.deepEqual(issuesOf(aText('lifetime', 'friend: 50\n  referrer: 100', 'referral')), [
    '8 earn[0].name: expected another name: referral is reserved for referrals',
  ])
  assert.deepEqual(issuesOf(aText('{ window: P12M }', 'friend: 50\n  referrer: 100')), [])
})

test('faults of a rule are reported in the order in which they are written', () => {
  const rules = `  - when: order.nett > 5 && player.level == "Diamond"
    name: base
    during: { hours: "18:00-18:00", until: 2026-02-30 }
    multiply: { rules: [tea, base], by: 2 }
    colour: red`
  const text = STARTER_PROGRAM.slice(0, STARTER_PROGRAM.indexOf('  - name: base')) + rules
  assert.deepEqual(
    issuesOf(text).map((issue) => issue.replace(/^\d+ earn\[0\]\.|: (expected|unknown).*/g, '')),
    ['when', 'when', 'during.hours', 'during.until', 'multiply.rules[0]', 'multiply.rules[1]', 'multiply.by', 'colour'],
  )
})

test('a fault inside one of several alternatives is reported alone, without the other alternatives', () => {
  assert.deepEqual(issuesOf(aText('{}', 'friend: 1\n  referrer: 1')), ['4 levels.counts.window: is required'])
  assert.deepEqual(issuesOf(aText('{ window: P1M, from: 1 }', 'friend: 1\n  referrer: 1')), [
    '4 levels.counts.from: unknown field: known are window',
  ])
  assert.deepEqual(issuesOf(aText('forever', 'friend: 1\n  referrer: 1')), [
    '4 levels.counts: expected lifetime or { window: P12M }',
  ])
})

test('JSON is read like YAML, and a text that is neither is a fault with its line', () => {
  const program = {
    name: 'J',
    rounding: 'ceil',
    levels: { counts: { window: 'P6M' }, ladder: [{ name: 'A', from: 0 }] },
    earn: [],
  }
  const read = readProgramText(JSON.stringify(program, null, 2))
  assert('program' in read)
  assert.deepEqual(read.program.levels.counts, { windowMonths: 6 })
  assert.match(issuesOf('name: A\nname: B\n')[0]!, /^2 : /)
})

test('the contents of a text are bounded before it is read: tokens, entries, levels', () => {
  const words = 'expected at most 50000 YAML tokens'
  const entries = 'expected at most 1000 entries in an array or object'
  const levels = 'expected at most 30 levels of arrays and objects'
  const lengthMax = 195_000
  const keys = Array.from({ length: 16_000 }, (_, index) => `key-${index}`)
  const cases: [text: string, issue: string][] = [
    [keys.map((key) => `${key}: 1\n`).join(''), `1001 : ${entries}`],
    [`{${keys.join(', ')}}`, `1 : ${entries}`],
    [keys.map((key) => `? ${key}\n`).join(''), `1001 : ${entries}`],
    [`[${','.repeat(lengthMax)}`, `1 : ${words}`],
    ['"'.repeat(lengthMax), `1 : ${words}`],
    ['&a '.repeat(lengthMax / 3), `1 : ${words}`],
    ['*a '.repeat(lengthMax / 3), `1 : ${words}`],
    ['#\n'.repeat(lengthMax / 2), `25001 : ${words}`],
    ['['.repeat(lengthMax), `1 : ${levels}`],
    ['{a: '.repeat(lengthMax / 4), `1 : ${levels}`],
    ['- '.repeat(lengthMax / 2), `1 : ${levels}`],
    [Array.from({ length: 600 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), `30 : ${levels}`],
  ]
  for (const [text, issue] of cases) assert.deepEqual(issuesOf(text), [issue], text.slice(0, 20))
  assert.equal(
    issuesOf(`"${'\\q'.repeat(lengthMax / 2)}"`).length,
    1,
    'of very many faults of a line the first is told',
  )
})

test('an alias that leads nowhere, or to far too much, is a fault like any other', () => {
  assert.deepEqual(issuesOf('name: *nobody\n'), ['1 : a text that begins with * is put in quotes: "*nobody"'])
  const many = Array.from({ length: 200 }, (_, index) => `b${index}: *a`).join('\n')
  assert.match(issuesOf(`a: &a [1, 1]\n${many}\n`)[0]!, /alias count/)
})

test('a stored text is read once, and again only after a thousand other texts', () => {
  const versions = Array.from({ length: 1_001 }, (_, index) => STARTER_PROGRAM.replace('Starter', `Version ${index}`))
  const [first, ...others] = versions.map(readStoredProgram)
  assert.equal(readStoredProgram(versions[1_000]!), others.at(-1))
  const again = readStoredProgram(versions[0]!)
  assert.notEqual(again, first)
  assert('program' in again && 'program' in first!)
  assert.deepEqual(again.program.levels, first.program.levels)
  assert.equal(readStoredProgram(versions[0]!), again)
})

test('a place in a condition is found however the condition is quoted or folded (decision 164)', () => {
  const rules = STARTER_PROGRAM.slice(0, STARTER_PROGRAM.indexOf('  - name: base'))
  const placeOf = (when: string) => {
    const read = readProgramText(`${rules}  - name: base\n    when: ${when}\n    fixed: { points: 1 }\n`)
    assert('issues' in read)
    const [first] = read.issues
    const [line = '', caret = ''] = first!.excerpt!.split('\n')
    return line.slice(caret.indexOf('^'))
  }
  const texts = [
    'order.net > 5 && order.nett > 5',
    '"order.net > 5 && order.nett > 5"',
    "'order.net > 5 && order.nett > 5'",
    '>-\n      order.net > 5\n      && order.nett > 5',
    '|\n      order.net > 5\n      && order.nett > 5',
    'order.net > 5\n      && order.nett > 5',
    '"player.level == \\"Gold\\" && order.nett > 5"',
  ]
  for (const text of texts) assert.match(placeOf(text), /^nett > 5/, text)
})

test('what YAML drops from a text is an issue of a program to be published, and of none that was (decision 164)', () => {
  const text = aText('lifetime', 'friend: 1\n  referrer: 1').replace(
    '    per-',
    '    when: !order.known && order.net > 5\n    per-',
  )
  assert.deepEqual(issuesOf(text), ["9 : put the whole condition in quotes: when: '!order.known && order.net > 5'"])
  assert('program' in readStoredProgram(text))
})

test('a long line is shown around its issue, and an issue of what is missing stands where it is missing (decision 164)', () => {
  const excerptOf = (text: string) => {
    const read = readProgramText(text)
    return 'issues' in read ? read.issues.map(({ excerpt }) => excerpt) : []
  }
  const long = `name: ${'n'.repeat(400)}\n`
  const [shown] = excerptOf(`{ name: "${'x'.repeat(180)}", rounding: down }`)
  assert(shown!.split('\n')[0]!.length <= 150)
  assert.equal(excerptOf(long)[0]!.split('\n')[0]!.length, 150)
  for (const before of ['', 'x']) {
    const [line] = excerptOf(
      `{ name: "${before}${'\u{1f375}'.repeat(200)}", rounding: down, money: "${'\u{1f375}'.repeat(90)}" }`,
    )
    assert(line!.isWellFormed())
  }
  assert.equal(excerptOf('name: Tea\nlevels: { counts: lifetime }\n').at(-1), 'levels: { counts: lifetime }\n        ^')
})
