import { programSource, readValidProgram } from '../../../engine/ingest/program-text.ts'
import { type Field, InvalidValue, optional, required } from '../../../engine/ingest/record.ts'
import { Type } from '../../../engine/points/json-schema.ts'
import { jobKind } from '../job-kind.ts'

const SEED_MAX = 2 ** 31 - 1

const seedField: Field<number> = {
  schema: Type.Integer({ minimum: 0, maximum: SEED_MAX }),
  read: (value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= SEED_MAX) return value
    throw new InvalidValue(`an integer between 0 and ${SEED_MAX}`, value)
  },
}

/** Searches for orders that earn what no shop means to give. */
export const probeJob = jobKind({
  scope: 'program',
  worksOn: 'nothing',
  shows: 'everything',
  fields: { source: required('source', programSource), seed: optional('seed', seedField, undefined) },
  words: {
    title: 'ProbeJob',
    description: 'Searches for orders that exploit a program',
    fields: {
      source: 'program text, YAML or JSON',
      seed: 'random seed, for reproducible runs; default: random, returned in the result',
    },
  },
  check: ({ source }) => {
    readValidProgram(source, 'data.source')
  },
  run: async ({ source, seed = Math.floor(Math.random() * SEED_MAX) }, { report }) => {
    const [{ casesOf, findCounterexample, PROBE_KINDS }, { remarksOn }, { probeDocumentOf }, { writeCasesText }] =
      await Promise.all([
        import('../../../engine/whatif/probe/index.ts'),
        import('../../../engine/whatif/probe/remarks.ts'),
        import('../../program-checks/probe-document.ts'),
        import('../../../engine/ingest/cases/write-cases.ts'),
      ])
    const program = readValidProgram(source, 'data.source')
    const found = PROBE_KINDS.flatMap((kind, done) => {
      report([{ of: 'kinds', done, total: PROBE_KINDS.length }])
      const finding = findCounterexample(kind, program, seed)
      return finding === undefined ? [] : [{ finding, replay: '' }]
    })
    const { findings, worth_knowing } = probeDocumentOf('', seed, found, remarksOn(program))
    return {
      seed,
      findings: findings.map(({ replay: _, ...finding }, place) => {
        const { finding: whole } = found[place]!
        return { ...finding, cases: writeCasesText({ ...whole.world, cases: casesOf(whole) }, [whole.title]) }
      }),
      worth_knowing,
    }
  },
})
