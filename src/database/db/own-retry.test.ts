import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeOnce } from './own-retry.ts'
import type { Db, Tx } from './transaction.ts'

/** How an attempt ends: with an answered COMMIT; with an unknown one, after which the change is there or not; or before COMMIT. */
type Ending = 'answered' | 'committed' | 'not committed' | 'failed'

/** Makes a change in attempts that end like this. Its answers are counted, and so are the changes that are there afterwards. */
async function changing(...endings: readonly Ending[]) {
  const asked: number[] = []
  let attempts = 0
  let stored = 0
  const db: Pick<Db, 'transaction'> = {
    async transaction<T>(work: (tx: Tx, attempt: number) => Promise<T>) {
      let mayHaveCommitted = false
      for (const [index, ending] of endings.entries()) {
        const before = stored
        const response = await work({ mayHaveCommitted } as Tx, index + 1)
        if (ending === 'answered') return response
        if (ending !== 'committed') stored = before
        mayHaveCommitted ||= ending !== 'failed'
      }
      throw new Error('the last attempt is not answered')
    },
  }
  const own = {
    change: async () => {
      attempts += 1
      stored += 1
      return `answer ${attempts}`
    },
    isCommitted: async () => {
      asked.push(attempts)
      return stored > 0
    },
  }
  return { response: await changeOnce(db, own, 0), stored, asked: asked.length }
}

describe('a change', () => {
  const cases: readonly [promise: string, endings: readonly Ending[], response: string, asked: number][] = [
    ['whose COMMIT is answered asks for no earlier attempt', ['answered'], 'answer 1', 0],
    ['that failed before COMMIT is made again, and asks for no earlier attempt', ['failed', 'answered'], 'answer 2', 0],
    ['whose COMMIT was unknown is not made again if it was committed', ['committed', 'answered'], 'answer 1', 1],
    ['whose COMMIT was unknown is made again if it was not committed', ['not committed', 'answered'], 'answer 2', 1],
    [
      'keeps the answer of the attempt that was committed, whatever becomes of others',
      ['not committed', 'failed', 'committed', 'not committed', 'failed', 'answered'],
      'answer 3',
      5,
    ],
  ]
  for (const [promise, endings, response, asked] of cases)
    test(promise, async () => assert.deepEqual(await changing(...endings), { response, stored: 1, asked }))
})
