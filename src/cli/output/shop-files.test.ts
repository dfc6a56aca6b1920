import assert from 'node:assert/strict'
import test from 'node:test'
import { readStoredProgram } from '../../engine/ingest/program-text.ts'
import { programTextOf } from './shop-files.ts'

const TEXT = programTextOf(
  {
    ...{ currency: 'EUR', decimals: 2, countries: ['Germany'], timeZone: 'Europe/Berlin', points: 1, every: 10 },
    levels: [{ name: 'Bronze', from: 0 }],
  },
  { program: 'program.yaml', cases: 'program.cases.yaml' },
)

test('every value that the comments of a new program name instead of its own is accepted', () => {
  const choices = [...TEXT.matchAll(/^(\S+: )(\S+)( +# .*: )(.+, .+)$/gm)]
  assert.deepEqual(
    choices.map(([, field]) => field),
    ['rounding: '],
  )
  for (const [line = '', field = '', own = '', why = '', named = ''] of choices) {
    const values = named.split(', ')
    assert(values.includes(own), line)
    for (const value of values) {
      const text = TEXT.replace(line, `${field}${value}${why}${named}`)
      assert(text.includes(`\n${field}${value} `))
      assert('program' in readStoredProgram(text), value)
    }
  }
})
