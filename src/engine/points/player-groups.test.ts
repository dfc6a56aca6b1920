import assert from 'node:assert/strict'
import test from 'node:test'
import { orderOf, published } from '../../../test/support/points.ts'
import { type Player, UNKNOWN_PLAYER } from './model.ts'
import { groupOf } from './player-groups.ts'
import { predict } from './predict.ts'
import { readProgram } from './program.ts'

const programWith = (when: string) => ({
  ...{ name: 'Test', rounding: 'floor', earn: [{ name: 'one', when, fixed: { points: 1 } }] },
  levels: { counts: 'lifetime', ladder: [{ name: 'Bronze', from: 0 }] },
})

test('a player stays in the group that anybody can compute from ID and name (decision 163)', () => {
  // Computed with another program: int(sha256(id + "\n" + name)[:8 bytes]) mod groups + 1.
  const cases: [id: string, name: string, groups: bigint, group: bigint][] = [
    ['u-1', 'autumn', 2n, 1n],
    ['u-2', 'autumn', 2n, 1n],
    ['u-3', 'autumn', 2n, 2n],
    ['u-1', 'spring', 2n, 1n],
    ['u-1', 'autumn', 100n, 29n],
    ['asha@example.com', 'autumn', 10n, 1n],
    ['Ünal', 'Frühling', 1_000n, 709n],
  ]
  for (const [id, name, groups, group] of cases) assert.equal(groupOf(id, name, groups), group, id)
})

test('groups are of about equal size, and those of one name say nothing about those of another', () => {
  const counts = [0, 0, 0, 0]
  for (let index = 0; index < 4_000; index += 1)
    counts[Number(groupOf(`u-${index}`, 'autumn', 2n) - 1n) * 2 + Number(groupOf(`u-${index}`, 'spring', 2n) - 1n)]! +=
      1
  for (const count of counts) assert.ok(count > 900 && count < 1_100, counts.join())
})

test('conditions ask for the group of their player, known or not, and a rule does not apply where IDs are hidden', () => {
  const predicted = (userId: string, player: Player, when = 'player.group("autumn", 2) == 2') =>
    predict(
      orderOf({ userId }),
      player,
      new Map(),
      published({ earn: [{ name: 'one', when, fixed: { points: 1 } }] }),
      { levelPoints: 0n, referral: { why: 'no-code' } },
    )
  const expected = (id: string) => (groupOf(id, 'autumn', 2n) === 2n ? 1n : 0n)
  for (const id of ['u-1', 'u-2', 'u-3', 'u-4'])
    for (const player of [UNKNOWN_PLAYER, { ...UNKNOWN_PLAYER, known: true }])
      assert.equal(predicted(id, player).points, expected(id), id)
  const hidden = predicted('u-1', { ...UNKNOWN_PLAYER, hidesId: true }, 'player.group("autumn", 2) > 0')
  assert.match(
    hidden.notApplied[0]!.why,
    /^condition cannot be evaluated for this order \(groups of players are hidden\)/,
  )
})

test('a group that is not written out is an error of the program, and groups read no balance', () => {
  const issuesOf = (when: string) => {
    const read = readProgram(programWith(when))
    return 'issues' in read ? read.issues.map(({ error }) => error) : []
  }
  const written = /^expected a name in quotes and a number of groups from 2 to 1000, like player.group\("autumn", 2\)$/
  for (const call of [
    'player.group("", 2) == 1',
    'player.group("autumn", 1) == 1',
    'player.group("autumn", 1001) == 1',
    'player.group("autumn", player.orders) == 1',
    'player.group(player.country, 2) == 1',
  ])
    assert.match(issuesOf(call).at(-1)!, written, call)
  assert.match(issuesOf('player.group("autumn") == 1')[0]!, /: group does not take a text$/)
  assert.match(issuesOf('player.grp("autumn", 2) == 1')[0]!, /unknown function grp of player: known are group$/)
  const read = readProgram(programWith('player.group("autumn", 2) == 1'))
  assert.ok('program' in read)
  assert.equal(read.program.earn[0]!.when!.mentionsBalance, false)
})
