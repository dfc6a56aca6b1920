import assert from 'node:assert/strict'
import test from 'node:test'
import type { Db, Tx } from '../database/db/transaction.ts'
import { createPendingLedger } from '../engine/points/ledger/pending-ledger.ts'
import { createPlayerQueue } from './player-queue.ts'
import { writeSlices } from './write-slices.ts'

type Verdict = Readonly<{ done: 'inserted' | 'unchanged'; attempt: number }>

type Attempt = Readonly<{
  /** What it finds; absent: it fails before its work begins. */
  finds?: Verdict['done']
  mayHaveCommitted: boolean
}>

const tx = { changes: () => undefined, batch: async () => undefined } as unknown as Tx

/** Writes a slice in attempts of which each may have been committed or was not; returns the verdict of the last. */
async function writeIn(attempts: readonly Attempt[]) {
  let number = 0
  const inSlices = async (slices: readonly unknown[], work: (tx: Tx, slice: unknown, position: number) => unknown) => {
    let response: unknown
    let unknownAttempt: number | undefined
    for (const { finds, mayHaveCommitted } of attempts) {
      number += 1
      if (finds !== undefined) response = await work({ ...tx, attempt: number, unknownAttempt }, slices[0], 0)
      if (mayHaveCommitted) unknownAttempt = number
    }
    return [response]
  }
  const db = { hasOtherWriters: false, inSlices } as unknown as Db
  const [verdict] = await writeSlices<string, Verdict>(
    { db, playerQueue: createPlayerQueue(), observe: () => undefined, programs: () => [], erasureKey: NO_KEY },
    [['a record']],
    {
      compute: async () => ({
        change: { ...createPendingLedger(), entries: [] },
        before: createPendingLedger(),
        verdicts: [{ done: attempts[number - 1]!.finds!, attempt: number }],
      }),
      ...{ wanted: [], at: '2026-06-01T12:00:00.000Z', deadlineAt: 0 },
    },
  )
  return verdict
}

const NO_KEY = { find: () => undefined, make: () => assert.fail('nobody is erased') }

test('work of a lost COMMIT counts, too, if an attempt in between does not come to its work', async () => {
  const found = await writeIn([
    { finds: 'inserted', mayHaveCommitted: true },
    { mayHaveCommitted: false },
    { finds: 'unchanged', mayHaveCommitted: false },
  ])
  assert.deepEqual(found, { done: 'inserted', attempt: 1 })
})

test('work of an attempt whose COMMIT may have taken effect counts once it is found done', async () => {
  const found = await writeIn([
    { finds: 'inserted', mayHaveCommitted: true },
    { finds: 'unchanged', mayHaveCommitted: false },
  ])
  assert.deepEqual(found, { done: 'inserted', attempt: 1 })
})

test('it still counts if an attempt that has found it done is rolled back', async () => {
  const found = await writeIn([
    { finds: 'inserted', mayHaveCommitted: true },
    { finds: 'unchanged', mayHaveCommitted: false },
    { finds: 'unchanged', mayHaveCommitted: false },
  ])
  assert.deepEqual(found, { done: 'inserted', attempt: 1 })
})

test('work of an attempt that was rolled back does not count, even if an attempt before it may have been committed', async () => {
  const found = await writeIn([
    { finds: 'inserted', mayHaveCommitted: true },
    { finds: 'inserted', mayHaveCommitted: false },
    { finds: 'unchanged', mayHaveCommitted: false },
  ])
  assert.deepEqual(found, { done: 'unchanged', attempt: 3 })
  const others = await writeIn([
    { finds: 'inserted', mayHaveCommitted: false },
    { finds: 'unchanged', mayHaveCommitted: false },
  ])
  assert.deepEqual(others, { done: 'unchanged', attempt: 2 })
})
