/*
 * The probe tries attributes: the values that conditions name, and one beside each (decision 161).
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { readCasesText } from '../../src/engine/ingest/cases/read-cases.ts'
import { writeCasesText } from '../../src/engine/ingest/cases/write-cases.ts'
import { readProgramText } from '../../src/engine/ingest/program-text.ts'
import type { Program } from '../../src/engine/points/program-model.ts'
import { tryCases } from '../../src/engine/whatif/cases.ts'
import { casesOf, findCounterexample } from '../../src/engine/whatif/probe/index.ts'
import { searchSpaceOf } from '../../src/engine/whatif/probe/search-space.ts'

function programWith(...rules: string[]): Program {
  const read = readProgramText(`name: Test
attributes:
  product: { category: text, tags: texts, weight: number, gift_card: yes-no, best_before: date }
  order: { channel: text, express: yes-no }
  player: { vip: yes-no, tier: text }
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn:
  - { name: base, per-amount: { points: 1, every: 10, of: net } }
${rules.map((rule, index) => `  - { name: r-${index}, ${rule} }`).join('\n')}
`)
  assert('program' in read, 'issues' in read ? read.issues.map(({ error }) => error).join() : '')
  return read.program
}

const valuesOf = (rule: string) => {
  const { domains } = searchSpaceOf(programWith(rule))
  const { products, attributes, profiles } = domains.at(-1)!
  const parsed = (set: string | undefined) => (set === undefined ? undefined : JSON.parse(set))
  return {
    lines: products.slice(1).map((goods) => parsed(goods.attributes)),
    orders: attributes.slice(1).map(parsed),
    players: profiles.slice(1).map((profile) => parsed(profile.attributes)),
  }
}

test('each type of attribute is tried with the values that a condition names, and with those beside them', () => {
  const lines = (condition: string) => valuesOf(`when: '${condition}', fixed: { points: 5 }`).lines
  assert.deepEqual(lines('line.attributes.category == "tea"'), [{ category: 'tea' }, { category: 'other' }])
  assert.deepEqual(lines('line.attributes.category in ["tea", "other"]'), [
    { category: 'tea' },
    { category: 'other' },
    { category: 'another' },
  ])
  assert.deepEqual(lines('"sale" in line.attributes.tags'), [{ tags: ['sale'] }, { tags: ['other'] }])
  assert.deepEqual(lines('line.attributes.weight >= 2.5'), [{ weight: 2.5 }, { weight: 2.4999 }, { weight: 2.5001 }])
  assert.deepEqual(lines('!line.attributes.gift_card'), [{ gift_card: true }, { gift_card: false }])
  assert.deepEqual(lines('line.attributes.best_before < "2027-03-01"'), [
    { best_before: '2027-03-01' },
    { best_before: '2027-02-28' },
    { best_before: '2027-03-02' },
  ])
  assert.deepEqual(lines('order.lines.exists(l, l.attributes.category == "tea")'), [
    { category: 'tea' },
    { category: 'other' },
  ])
})

test('attributes of orders, players and lines are told apart, each gets the values of its own comparisons, and together they are tried in every combination', () => {
  const rule = 'when: \'order.attributes.channel == "app" && line.attributes.category == "tea"\', fixed: { points: 5 }'
  assert.deepEqual(valuesOf(rule), {
    lines: [{ category: 'tea' }, { category: 'other' }],
    orders: [{ channel: 'app' }, { channel: 'other' }],
    players: [],
  })
  const ofPlayers =
    'when: \'player.attributes.tier == "gold" && line.attributes.category == "tea"\', fixed: { points: 5 }'
  assert.deepEqual(valuesOf(ofPlayers), {
    lines: [{ category: 'tea' }, { category: 'other' }],
    orders: [],
    players: [{ tier: 'gold' }, { tier: 'other' }],
  })
  const both = valuesOf('when: \'order.attributes.channel == "app" && order.attributes.express\', fixed: { points: 5 }')
  assert.equal(both.orders.length, 8)
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm'].map((text) => `"${text}"`).join()
  const bounded = valuesOf(
    `when: 'line.attributes.category in [${many}] && line.attributes.gift_card && line.attributes.weight < 3', fixed: { points: 5 }`,
  )
  assert(bounded.lines.length <= 40, String(bounded.lines.length))
  assert.deepEqual(bounded.lines[0], { category: 'a', gift_card: true, weight: 3 })
})

test('a loophole that only an attribute of a player opens is found, however the condition writes it', () => {
  for (const vip of [
    'player.attributes.vip',
    'player.attributes["vip"]',
    'player.age >= 18 && player.attributes.vip',
  ]) {
    const program = programWith(`when: '${vip}', fixed: { points: 1000 }`)
    const finding = findCounterexample('splitting', program, 1)
    assert(finding !== undefined, vip)
    assert.equal(finding.world.players[0]!.profile.attributes, '{"vip":true}')
    const read = readCasesText(writeCasesText({ ...finding.world, cases: casesOf(finding) }, ['Head.']), program)
    assert('cases' in read, vip)
    assert(tryCases(program, read.cases).every((one) => one.isAsExpected))
  }
})

test('a loophole that only an attribute opens is found, and its cases replay it only while it is there', () => {
  const conditions = {
    'order.attributes.channel == "app"': 'order.attributes.channel == "app" && order.net >= 60',
    'order.lines.exists(l, l.attributes.category == "tea" && l.attributes.weight > 2.5)':
      'order.net >= 60 && order.lines.exists(l, l.attributes.category == "tea" && l.attributes.weight > 2.5)',
  }
  for (const [open, closed] of Object.entries(conditions)) {
    const [flawed, mended] = [open, closed].map((when) => programWith(`when: '${when}', fixed: { points: 20 }`))
    const finding = findCounterexample('for-nothing', flawed!, 1)
    assert(finding !== undefined, open)
    const text = writeCasesText({ ...finding.world, cases: casesOf(finding) }, ['Head.'])
    const isAsExpected = (program: Program) => {
      const read = readCasesText(text, program)
      assert('cases' in read, text)
      return tryCases(program, read.cases).every((one) => one.isAsExpected)
    }
    assert.deepEqual([isAsExpected(flawed!), isAsExpected(mended!)], [true, false], open)
    assert.equal(findCounterexample('for-nothing', mended!, 1), undefined, closed)
  }
})
