import assert from 'node:assert/strict'
import test from 'node:test'
import { mentionsIn, readCondition, type Variation } from './condition.ts'
import { OrderInputs, PlayerInputs } from './condition-context.ts'
import { decimalOfAmount } from './decimal.ts'
import { costIssue, readProgram } from './program.ts'

const good = {
  name: 'Example',
  rounding: 'floor',
  levels: {
    counts: 'lifetime',
    ladder: [
      { name: 'Bronze', from: 0 },
      { name: 'Silver', from: 500 },
    ],
  },
  earn: [{ name: 'base', 'per-amount': { points: 1, every: '10.50', of: 'net' } }],
}

function issuesOf(change: object): string[] {
  const read = readProgram({ ...good, ...change })
  return 'issues' in read ? read.issues.map(({ path, error }) => `${path}: ${error}`) : []
}

test('a program is read with exact numbers and the built-in sentences', () => {
  const read = readProgram({ ...good, messages: { stays: 'Still {level}.' } })
  assert('program' in read)
  assert.deepEqual(read.program.earn, [
    { kind: 'per-amount', name: 'base', points: 10_000n, every: 105_000n, of: 'net', wholeSteps: false },
  ])
  assert.equal(read.program.messages.stays, 'Still {level}.')
  assert.equal(read.program.messages.upgraded, 'You will earn {points_text} and be upgraded to {level}.')
})

test('no text of a program has NUL or a broken character (decision 8)', () => {
  const cases: [object, string][] = [
    [{ name: 'A\0' }, 'name'],
    [{ levels: { counts: 'lifetime', ladder: [{ name: 'Bronze\0', from: 0 }] } }, 'levels.ladder[0].name'],
    [{ earn: [{ name: 'base\ud800', fixed: { points: 1 } }] }, 'earn[0].name'],
    [{ earn: [{ name: 'base', when: 'order.id == "\0"', fixed: { points: 1 } }] }, 'earn[0].when'],
    [{ messages: { stays: 'Still\0 {level}.' } }, 'messages.stays'],
  ]
  for (const [change, path] of cases)
    assert.equal(issuesOf(change)[0], `${path}: expected a string without NUL or lone surrogates`)
})

test('each fault is named with its path and what is expected there', () => {
  const perAmount = (fields: object) => ({ earn: [{ name: 'base', 'per-amount': fields }] })
  const ladder = (...levels: object[]) => ({ levels: { counts: 'lifetime', ladder: levels } })
  const cases: [object, string][] = [
    [{ rounding: 'down' }, 'rounding: expected one of floor, half-up, ceil, did you mean floor?'],
    [{ earn: 'all' }, 'earn: expected an array of at most 200 rules'],
    [
      { earnings: [] },
      'earnings: unknown field: known are name, time-zone, money, attributes, statistics, rounding, levels, earn, referral, points, redeem, messages',
    ],
    [{ name: '' }, 'name: expected the name of the program'],
    [perAmount({ points: 1 }), 'earn[0].per-amount.every: is required'],
    [
      perAmount({ points: 0, every: 1 }),
      'earn[0].per-amount.points: expected a number greater than 0 with at most 4 decimal places',
    ],
    [
      perAmount({ points: 1, every: '0.00' }),
      'earn[0].per-amount.every: expected a number greater than 0 with at most 4 decimal places',
    ],
    [
      perAmount({ points: 1, every: 0.00001 }),
      'earn[0].per-amount.every: expected a number greater than 0 with at most 4 decimal places',
    ],
    [
      perAmount({ points: 1, every: 1, of: 'gross' }),
      'earn[0].per-amount.of: expected one of net, total, lines, catalogue',
    ],
    [
      { earn: [{ name: 'base' }] },
      'earn[0]: expected one kind of rule: per-amount, per-unit, fixed, multiply, at-most',
    ],
    [{ earn: [...good.earn, ...good.earn] }, 'earn[1].name: duplicate name base'],
    [
      { messages: { stays: 'Hello {name}, {points_text}!' } },
      'messages.stays: unknown placeholder "{name}", expected one of {points}, {points_text}, {level}, {usable_on}, {valid_until}, {redeemed}, {redeemed_text}',
    ],
    [{ messages: { stays: 'From {usable_on}' } }, 'messages.stays: {usable_on} requires points'],
    [
      { messages: { stays: 'Until {valid_until}' }, points: { pending: { days: 1 } } },
      'messages.stays: {valid_until} requires points with expire',
    ],
    [
      { messages: { stays: 'From {usable_on}' }, points: { pending: { days: 1, after: 'fulfilled' } } },
      'messages.stays: {usable_on} requires points.pending.after to be ordered: the date of fulfilment is not known in advance',
    ],
    [{ messages: { stays: 'You pay {redeemed_text}' } }, 'messages.stays: {redeemed_text} requires redeem'],
    [ladder(), 'levels.ladder: expected an array of 1 to 100 levels'],
    [ladder({ name: 'Bronze', from: 1 }), 'levels.ladder[0].from: the first level must start at 0'],
    [
      ladder({ name: 'A', from: 0 }, { name: 'B', from: 0 }),
      'levels.ladder[1].from: expected more than the previous level',
    ],
    [ladder({ name: 'A', from: 0 }, { name: 'A', from: 1 }), 'levels.ladder[1].name: duplicate name A'],
  ]
  for (const [change, issue] of cases) assert.deepEqual(issuesOf(change), [issue])
})

test('an amount compares with a whole number and points with a decimal, by value and on either side', () => {
  const cases: [when: string, holdsFor: readonly number[]][] = [
    ['order.net == 1000', [1000]],
    ['order.net != 1000', [999.5, 1000.5]],
    ['1000 == order.net', [1000]],
    ['1000 != order.net', [999.5, 1000.5]],
    ['player.points != 3.0', []],
    ['3.0 == player.points', [999.5, 1000, 1000.5]],
  ]
  for (const [when, holdsFor] of cases) {
    const read = readCondition(when, { levels: new Set() })
    assert('condition' in read, JSON.stringify(read))
    const holds = (net: number) => {
      const order = Object.assign(Object.create(OrderInputs.prototype), { net: decimalOfAmount(BigInt(net * 10_000)) })
      const player = Object.assign(Object.create(PlayerInputs.prototype), { points: 3n })
      return read.condition.test({ order, player })
    }
    assert.deepEqual([999.5, 1000, 1000.5].filter(holds), holdsFor, when)
  }
})

test('a condition reads the balance unless all that it does with the player is to select other fields', () => {
  const cases: [when: string, isRead: boolean][] = [
    ['order.net > 1.0', false],
    ['player.orders == 0 && player.level == "Silver"', false],
    ['order.lines.exists(line, line.price > 1.0) && player.known', false],
    ['player.points > 3', true],
    ['player.earned > 3 || (player.orders > 1 && player.points > 3)', true],
    ['has(player.points)', true],
    ['player["points"] > 3', true],
    ['player["po" + "ints"] > 3', true],
    ['[player].exists(one, one.points > 3)', true],
    ['{"a": player}["a"].points > 3', true],
    ['dyn(player).points > 3', true],
  ]
  for (const [when, isRead] of cases) {
    const read = readCondition(when, { levels: new Set(['Silver']) })
    assert('condition' in read, JSON.stringify(read))
    assert.equal(read.condition.mentionsBalance, isRead, when)
  }
})

test('what a condition reads, or might, that differs between equal orders of a player is known', () => {
  const cases: [when: string, variesWith: (keyof Variation)[]][] = [
    ['order.net > 1.0 && line.sku == "TEA" && player.known && player.country == "IN"', []],
    ['player.points > 3', ['balance']],
    ['player.earned > 3', ['balance']],
    ['player.level == "Silver"', ['level']],
    ['player.orders == 0', ['count']],
    ['order.id.endsWith("7")', ['count']],
    ['order.date == "2026-11-28"', ['moment']],
    ['order.at.getHours("Europe/London") < 9', ['moment']],
    ['player.is_birthday || player.age > 60', ['moment']],
    ['player["orders"] > 3', ['balance', 'level', 'count', 'moment']],
    ['[player].exists(one, one.level == "Silver")', ['balance', 'level', 'count', 'moment']],
    ['[order].exists(one, one.id == "7")', ['count', 'moment']],
  ]
  for (const [when, variesWith] of cases) {
    const read = readCondition(when, { levels: new Set(['Silver']) })
    assert('condition' in read, JSON.stringify(read))
    const found = Object.entries(mentionsIn(read.condition).variesWith)
    assert.deepEqual(
      found.flatMap(([name, isRead]) => (isRead ? [name] : [])),
      variesWith,
      when,
    )
  }
})

test('a condition is checked when it is read: names, types, levels, and what is switched off', () => {
  const issueOf = (when: unknown, deed: object = { fixed: { points: 1 } }) =>
    issuesOf({ earn: [...good.earn, { name: 'r', when, ...deed }] })
  const cases: [unknown, RegExp][] = [
    ['order.nett > 5', /^earn\[1\]\.when: expected a condition: unknown field nett of order, did you mean net\?$/],
    ['order.net == "5"', /== cannot compare a number with a text: write 5 without quotes$/],
    ['order.net', /expected a boolean condition, got a number: compare it/],
    ['basket > 5', /unknown name basket, did you mean order\?$/],
    ['order.net >', /expected a condition/],
    ['order.net > 1e-401', /too many digits in the number "1e-401"/],
    [Array(16).fill('order.net > 1e-380').join('||'), /too many digits in the number "1e-380"/],
    [5, /^earn\[1\]\.when: expected a condition of at most 2,000 characters, like order\.net >= 100$/],
    [`true${' '.repeat(1_997)}`, /^earn\[1\]\.when: expected a condition of at most 2,000 characters, like/],
    ['player.level == "Diamond"', /unknown level "Diamond", expected one of Bronze, Silver/],
    ['player.level in ["Bronze", "Golden"]', /unknown level "Golden"/],
    ['"Diamond" != player.level', /unknown level "Diamond"/],
    ['player.gender == "Female"', /unknown gender "Female", expected male or female/],
    ['order.at.getHours("Europe/Berln") > 5', /unknown time zone "Europe\/Berln", expected one like "Asia\/Kolkata"/],
    ['line.sku.matches("a+")', /without matches/],
    ['order.lines.exists(l, order.lines.exists(m, m.qty > l.qty))', /cannot be nested/],
    ['cel.bind(all, order.lines + order.lines, all.size() > 3)', /without bind/],
    [Array(150).fill('player.known').join(' && '), /expected a condition/],
  ]
  for (const [when, issue] of cases) {
    const issues = issueOf(when)
    assert.equal(issues.length, 1, String(when))
    assert.match(issues[0]!, issue)
  }
  assert.deepEqual(issueOf('line.qty > 1.0', { multiply: { by: '2' } }), [
    'earn[1].multiply: expected a condition without line: this rule applies to the whole order',
  ])
  assert.match(
    issueOf('line.qty > 1.0', { 'per-amount': { points: 1, every: 1, of: 'total' } })[0]!,
    /per-amount\.of: expected net, lines or catalogue/,
  )
  assert.deepEqual(issueOf('order.at.getDayOfWeek("Asia/Kolkata") in [0, 6] && player.gender != "male"'), [])
  assert.deepEqual(issueOf('line.qty > 1.0', { 'per-amount': { points: 1, every: 1, of: 'lines' } }), [])
})

test('multiply names earlier rules, and takes its factor as text', () => {
  const issueOf = (multiply: object) => issuesOf({ earn: [{ name: 'first', multiply }, ...good.earn] })
  assert.deepEqual(issueOf({ by: '1.5', rules: ['base'] }), [
    'earn[0].multiply.rules[0]: unknown rule "base", expected the name of an earlier rule',
  ])
  assert.deepEqual(issueOf({ by: 1.5 }), [
    'earn[0].multiply.by: expected a non-negative number with at most 4 decimal places, in quotes, like "1.5"',
  ])
  assert.deepEqual(issuesOf({ earn: [...good.earn, { name: 'x', fixed: { points: 1 }, 'per-unit': { points: 1 } }] }), [
    'earn[1]: expected one kind of rule: per-amount, per-unit, fixed, multiply, at-most',
  ])
})

test('levels may count a window of calendar months, and a first order may give points to two players', () => {
  const read = readProgram({
    ...good,
    levels: { ...good.levels, counts: { window: 'P18M' } },
    referral: { friend: 50, referrer: 100, counts: false },
  })
  assert('program' in read)
  assert.deepEqual(read.program.levels.counts, { windowMonths: 18 })
  assert.deepEqual(read.program.referral, { friend: 50n, referrer: 100n, counts: false })
  const plain = readProgram({ ...good, referral: { friend: 0, referrer: 1 } })
  assert('program' in plain)
  assert.deepEqual(plain.program.referral, { friend: 0n, referrer: 1n, counts: true })
})

test('an impossible window or referral is a fault with its path', () => {
  const counts = (value: unknown) => ({ levels: { ...good.levels, counts: value } })
  const oneWindow = 'levels.counts.window: expected a duration in months like P12M, between P1M and P999M'
  const cases: [object, string][] = [
    [counts('forever'), 'levels.counts: expected lifetime or { window: P12M }'],
    [counts({}), 'levels.counts.window: is required'],
    ...['P0M', 'P012M', 'P1000M', 'P1Y', '12', 'p12m', 12].map((window): [object, string] => [
      counts({ window }),
      oneWindow,
    ]),
    [{ referral: { friend: 50 } }, 'referral.referrer: is required'],
    [{ referral: { friend: 1.5, referrer: 1 } }, 'referral.friend: expected a non-negative integer'],
    [{ referral: { friend: 1, referrer: -1 } }, 'referral.referrer: expected a non-negative integer'],
    [{ referral: { friend: 1, referrer: '1' } }, 'referral.referrer: expected a non-negative integer'],
    [{ referral: { friend: 1, referrer: 1, counts: 'no' } }, 'referral.counts: expected true or false'],
    [
      { referral: { friend: 1, referrer: 1, both: 1 } },
      'referral.both: unknown field: known are friend, referrer, counts',
    ],
    [{ referral: true }, 'referral: expected an object with friend, referrer and counts'],
    [
      { earn: [{ name: 'referral', fixed: { points: 1 } }] },
      'earn[0].name: expected another name: referral is reserved for referrals',
    ],
  ]
  for (const [change, issue] of cases) assert.deepEqual(issuesOf(change), [issue], JSON.stringify(change))
})

test('all errors are reported at once', () => {
  assert.deepEqual(issuesOf({ rounding: 1, earn: [{ name: '', 'per-amount': { points: -1, every: 10 } }] }), [
    'rounding: expected one of floor, half-up, ceil',
    'earn[0].name: expected the name of the rule',
    'earn[0].per-amount.points: expected a number greater than 0 with at most 4 decimal places',
  ])
})

test('each fault of a rule is reported, whether of its shape or of its meaning, and none that only follows from another', () => {
  const number = 'a number greater than 0 with at most 4 decimal places'
  const kinds = 'one kind of rule: per-amount, per-unit, fixed, multiply, at-most'
  const noLine = 'expected a condition without line: this rule applies to the whole order'
  const cases: [rule: object, issues: string[]][] = [
    [
      {
        when: 'order.nett > 5',
        during: { until: '2026-02-30' },
        'per-amount': { points: '0.00', every: -1, steps: 1 },
      },
      [
        '.when: expected a condition: unknown field nett of order, did you mean net?',
        '.during.until: expected a date like 2026-11-27, got "2026-02-30"',
        `.per-amount.points: expected ${number}`,
        `.per-amount.every: expected ${number}`,
        '.per-amount.steps: unknown field: known are points, every, of, whole-steps',
      ],
    ],
    [
      { when: 'player.level == "Gold" || player.gender == "f" || line.qty > 1', multiply: { by: 2, rules: ['none'] } },
      [
        '.when: unknown gender "f", expected male or female',
        '.when: unknown level "Gold", expected one of Bronze, Silver',
        `.multiply: ${noLine}`,
        '.multiply.by: expected a non-negative number with at most 4 decimal places, in quotes, like "1.5"',
        '.multiply.rules[0]: unknown rule "none", expected the name of an earlier rule',
      ],
    ],
    [
      { when: 'line.qty > 1', multiply: { by: '2' }, fixed: { points: '0.0' } },
      [`: expected ${kinds}`, `.fixed.points: expected ${number}`],
    ],
    [
      { during: {}, when: 'order.net' },
      [
        `: expected ${kinds}`,
        '.during: expected from, until, days or hours',
        '.when: expected a boolean condition, got a number: compare it, like order.net >= 100',
      ],
    ],
    // What follows from an issue is not another one.
    [{ 'per-amout': { points: 1, every: 10 } }, ['.per-amout: unknown field, did you mean per-amount?']],
    [{ during: { form: '2026-01-01' }, fixed: { points: 1 } }, ['.during.form: unknown field, did you mean from?']],
    [
      { when: 5, 'per-amount': 5 },
      [
        '.when: expected a condition of at most 2,000 characters, like order.net >= 100',
        '.per-amount: expected an object with points, every, of and whole-steps',
      ],
    ],
    [
      { when: 'line.qty >', multiply: { by: '2' } },
      ['.when: expected a condition: it ends too early: something is missing after >'],
    ],
    [
      { when: 'line.qty > 1', 'per-amount': { points: 1, every: 1, of: 'gross' } },
      ['.per-amount.of: expected one of net, total, lines, catalogue'],
    ],
    [
      { when: '1e-999 > order.net && order.net < 1', fixed: { points: 1 } },
      ['.when: too many digits in the number "1e-999"'],
    ],
  ]
  for (const [rule, expected] of cases) {
    const issues = issuesOf({ earn: [...good.earn, { name: 'r', ...rule }] })
    assert.deepEqual(issues.toSorted(), expected.map((issue) => `earn[1]${issue}`).toSorted(), JSON.stringify(rule))
  }
})

test('rules are read beside errors elsewhere, except for what these leave in doubt', () => {
  const earn = [
    { fixed: { points: 1 } },
    { name: 'r', when: 'player.level == "Gold"', multiply: { by: '2', rules: ['base'] } },
    { name: 'r', when: 'order.', fixed: { points: '0.0' } },
    'all',
  ]
  const ofRules = [
    'earn[0].name: is required',
    'earn[2].fixed.points: expected a number greater than 0 with at most 4 decimal places',
    'earn[2].name: duplicate name r',
    'earn[2].when: expected a condition: it ends too early: something is missing after .',
    'earn[3]: expected an object with name, when, during, least and one kind of rule: per-amount, per-unit, fixed, multiply, at-most',
  ]
  const gold = 'earn[1].when: unknown level "Gold", expected one of Bronze, Silver'
  const rounding = 'rounding: expected one of floor, half-up, ceil, did you mean floor?'
  assert.deepEqual(issuesOf({ earn, rounding: 'down' }).toSorted(), [...ofRules, gold, rounding].toSorted())
  const levels = { counts: 'lifetime', ladder: [{ name: 'Bronze', from: 0 }, { from: 5 }] }
  assert.deepEqual(issuesOf({ earn, levels }).toSorted(), [...ofRules, 'levels.ladder[1].name: is required'].toSorted())
})

test('a hundred errors are reported as well as one', () => {
  const earn = Array.from({ length: 100 }, (_, index) => ({ name: `r${index}`, fixed: { points: -1 } }))
  assert.equal(issuesOf({ earn }).length, 100)
})

test('of very many errors 2,000 are reported, and each condition lists the ladder once', () => {
  const names = Array.from({ length: 150 }, (_, index) => `"${index}"`).join(', ')
  const earn = Array.from({ length: 20 }, (_, index) => ({
    name: `r${index}`,
    when: `player.level in [${names}]`,
    fixed: { points: 1 },
  }))
  for (const change of [{ earn }, { earn, rounding: 'down' }]) {
    const issues = issuesOf(change)
    assert.equal(issues.length, 2_000)
    assert.equal(issues.filter((issue) => issue.endsWith('Bronze, Silver')).length, 14)
  }
})

test('something that is not a program at all is a fault, not an exception', () => {
  for (const value of [null, undefined, 1, 'text', [], { __proto__: { name: 'x' } }])
    assert('issues' in readProgram(value))
})

test('conditions that would take too long for an order of many lines are a fault, reported at the costliest', () => {
  const rule = (when: string, name = when) => ({ name, when, fixed: { points: 1 } })
  const withSteps = (total: number, one: number) =>
    `expected conditions of at most 25000000 steps in total for an order of 1000 lines: these take ${total}, this one ${one}`
  const cartHasA = 'order.lines.exists(l, l.sku == "A")'
  const issues = (...whens: string[]) => {
    const read = readProgram({ ...good, earn: whens.map((when, index) => rule(when, `rule ${index}`)) })
    assert('program' in read)
    const issue = costIssue(read.program)
    return issue === undefined ? [] : [`${issue.path}: ${issue.error}`]
  }
  assert.deepEqual(issues(...Array<string>(200).fill(cartHasA)), [])
  assert.deepEqual(issues('line.sku == "B"', `line.known && ${cartHasA}`), [])
  assert.deepEqual(issues('line.known', 'order.lines.exists(l, l.sku == line.sku || l.qty > line.qty)'), [])
  const costly =
    'order.lines.exists(l, l.sku == line.sku || l.qty > line.qty || l.amount > line.amount || l.price > line.price || l.known)'
  assert.deepEqual(issues('line.known', costly), [`earn[1].when: ${withSteps(27_004_000, 27_002_000)}`])
  const each = [
    '(order.lines + order.lines).exists(l, l.sku == "A") && line.known',
    'order.lines == order.lines && line.sku in order.lines.map(l, l.sku + "1234") && line.sku == "C"',
    Array.from({ length: 20 }, () => 'line.known && order.at.getHours("Asia/Kolkata") > 3').join(' || '),
  ]
  for (const when of each)
    assert.match(
      issues(...Array<string>(4).fill(when))[0] ?? '',
      /^earn\[0\]\.when: expected conditions of at most/,
      when,
    )
})
