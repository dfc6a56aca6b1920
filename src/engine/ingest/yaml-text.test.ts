import assert from 'node:assert/strict'
import test from 'node:test'
import { excessIn, readYaml } from './yaml-text.ts'

const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n')

test('a text within the bounds passes, and one beyond them says which bound it exceeds, and where (decision 117)', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const rules = (count: number) => `earn:\n  - name: base\n    skus:\n${lines(count, (n) => `      - tea-${n}`)}\n`
  const within = ['a: 1', rules(1_000), lines(1_000, (n) => `k${n}: 1`), nested(20)]
  for (const text of within) assert.equal(excessIn(text), undefined, text.slice(0, 40))
  assert.deepEqual(excessIn(rules(1_001)), {
    path: '',
    line: 1_004,
    error: 'expected at most 1000 entries in an array or object',
  })
  assert.deepEqual(excessIn(lines(1_001, (n) => `k${n}: 1`))?.line, 1_001)
  assert.match(excessIn(nested(40))!.error, /at most 30 levels of arrays and objects/)
  assert.match(excessIn(lines(900, () => `- [${'1, '.repeat(60)}]`))!.error, /at most 50000 YAML tokens/)
})

test('a fault gets the line and column of the value at its path, or of the nearest enclosing one', () => {
  const read = readYaml('earn:\n  - name: base\n    points: { each: 5 }\n')
  assert('value' in read)
  const place = (path: string) => {
    const { line, column } = read.placed({ path, error: 'x' })
    return [line, column]
  }
  assert.deepEqual(place('earn[0].name'), [2, 11])
  assert.deepEqual(place('earn[0].points.each'), [3, 21])
  assert.deepEqual(place('earn[0].points.every'), [3, 13], 'what is missing is told where it is missing')
  assert.deepEqual(place('levels'), [1, 1])
  const dotted = readYaml('1: one\nplayers:\n  a.b: 1\n  a: { b: 2 }\n')
  assert('value' in dotted)
  assert.equal(dotted.placed({ path: 'players.a.b', error: 'x' }).line, 3, 'the longest key with which the path begins')
})

test('a text that is not YAML is reported with the line of each fault, up to a hundred of them', () => {
  const broken = readYaml('a: 1\nb: [1\nc: 2\n')
  assert('issues' in broken)
  assert.equal(broken.issues[0]!.line, 3)
  const twice = readYaml(lines(300, () => 'a: 1'))
  assert('issues' in twice && twice.issues.length === 100)
  const aliases = readYaml(`a: &a [1]\nb: [${'*a, '.repeat(200)}]\n`)
  assert('issues' in aliases && /alias/i.test(aliases.issues[0]!.error), JSON.stringify(aliases))
})
