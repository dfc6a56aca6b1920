import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { readCasesText } from '../../src/engine/ingest/cases/read-cases.ts'
import { readProgramText } from '../../src/engine/ingest/program-text.ts'
import type { Program } from '../../src/engine/points/program-model.ts'
import { listUntried, tryCases } from '../../src/engine/whatif/cases.ts'

const HERE = import.meta.dirname
const files = globSync('*.yaml', { cwd: HERE })
const names = files
  .filter((file) => !file.endsWith('.cases.yaml'))
  .map((file) => file.replace(/\.yaml$/, ''))
  .sort()
const textOf = (file: string) => readFileSync(join(HERE, file), 'utf8')

test('every program has its test cases and its command in the README, and no case file is left over', () => {
  assert(names.length >= 4)
  assert.deepEqual(files.sort(), names.flatMap((name) => [`${name}.cases.yaml`, `${name}.yaml`]).sort())
  const readme = textOf('README.md')
  for (const name of names)
    assert(
      readme.includes(`program check examples/programs/${name}.yaml --cases examples/programs/${name}.cases.yaml\n`),
      name,
    )
})

for (const name of names) {
  describe(name, () => {
    const read = readProgramText(textOf(`${name}.yaml`))
    assert('program' in read, `${name}.yaml has faults`)
    const { program } = read
    const readCases = readCasesText(textOf(`${name}.cases.yaml`), program)
    assert('cases' in readCases, `${name}.cases.yaml has faults`)
    const { cases } = readCases
    const failedUnder = (one: Program) => tryCases(one, cases).filter(({ isAsExpected }) => !isAsExpected)

    test('its first line names the schema for editors', () => {
      const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(textOf(`${name}.yaml`))?.[1] ?? ''
      assert.equal(resolve(HERE, schema), resolve(HERE, '../../schemas/program.json'))
    })

    test('every case has the expected result', () => {
      assert.deepEqual(failedUnder(program), [])
    })

    test('its cases reach every rule, and at least one fails without any one rule, level or the referral', () => {
      assert.deepEqual(listUntried(program, tryCases(program, cases)), [])
      for (const { name } of program.earn)
        assert(failedUnder({ ...program, earn: program.earn.filter((rule) => rule.name !== name) }).length > 0, name)
      const { referral, ...unreferred } = program
      if (referral !== undefined) assert(failedUnder(unreferred).length > 0)
      const { counts, ladder } = program.levels
      for (const level of ladder.slice(1)) {
        const shorter = { counts, ladder: ladder.filter((one) => one !== level) }
        assert(failedUnder({ ...program, levels: shorter }).length > 0, level.name)
      }
    })
  })
}
