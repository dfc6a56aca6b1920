import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import { sentRecords } from '../../test/support/sent-records.ts'
import { type RejectedRecord, type Row, readOne } from '../engine/ingest/batch.ts'
import { playerKind } from '../engine/ingest/player-kind.ts'
import { SHOP_DEFAULTS, shopSettingsWith } from '../engine/ingest/shop-settings.ts'
import { InvalidInput } from '../errors.ts'
import { openRowReader, type RowReader } from './row-reader.ts'

const NOW = new Date('2026-06-01T12:00:00Z')
const TERMS = { now: NOW, shop: SHOP_DEFAULTS }

function open(t: TestContext) {
  const reader = openRowReader()
  t.after(reader.close)
  return reader
}

const aRecord = (id: string, name: string) => ({
  User_id: id,
  Name: name,
  DOB: '31-01-1990',
  Gender: 'female',
  Refercode: '',
  State: 'Goa',
  Pincode: '403001',
  Country: 'India',
})

async function all(turns: ReturnType<RowReader['read']>): Promise<{ accepted: Row[]; rejected: RejectedRecord[] }> {
  const read = await Array.fromAsync(turns)
  return { accepted: read.flatMap(({ accepted }) => accepted), rejected: read.flatMap(({ rejected }) => rejected) }
}

/** Reads the records on this thread, one after the other. */
function readHere(records: readonly unknown[]): { accepted: Row[]; rejected: RejectedRecord[] } {
  const kind = playerKind(NOW, SHOP_DEFAULTS)
  const all = records.map((record, position) => readOne(record, kind, position))
  return {
    accepted: all.flatMap((one) => ('accepted' in one ? [one.accepted] : [])),
    rejected: all.flatMap((one) => ('rejected' in one ? [one.rejected] : [])),
  }
}

test('the worker thread reads the same rows as the main thread, with the same refusals at the same positions, however the body is cut', async (t) => {
  const reader = open(t)
  const records = fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc
          .tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))
          .map(([a, b]) => aRecord(a, b)),
      },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
    ),
    { maxLength: 60 },
  )
  await fc.assert(
    fc.asyncProperty(records, fc.integer({ min: 1, max: 70 }), fc.boolean(), async (list, each, asBytes) => {
      const parts = Array.from({ length: Math.ceil(list.length / each) }, (_, at) =>
        list.slice(at * each, at * each + each),
      )
      const pieces = asBytes
        ? parts.map((part) => Uint8Array.from(Buffer.from(JSON.stringify(part).slice(1, -1))))
        : parts
      assert.deepEqual(
        await all(reader.read('players', TERMS, sentRecords(pieces))),
        readHere(JSON.parse(JSON.stringify(list))),
      )
    }),
    { numRuns: 150 },
  )
})

test('each request is read to its end with the settings it began with, whatever settings concurrent requests have (decision 70)', async (t) => {
  const reader = open(t)
  const pieces = () =>
    sentRecords(Array.from({ length: 60 }, (_, index) => [{ ...aRecord(`u-${index}`, 'Asha'), Gender: 'diverse' }]))
  const diverse = { now: NOW, shop: shopSettingsWith({ 'players.genders': ['diverse'] }) }
  const read = await Promise.all(
    [TERMS, diverse, TERMS, diverse].map((terms) => all(reader.read('players', terms, pieces()))),
  )
  assert.deepEqual(
    read.map(({ accepted, rejected }) => [accepted.length, rejected.length]),
    [
      [0, 60],
      [60, 0],
      [0, 60],
      [60, 0],
    ],
  )
})

test('invalid JSON is refused with path body, and the thread keeps serving others', async (t) => {
  const reader = open(t)
  const bytes = (text: string) => [Uint8Array.from(Buffer.from(text))]
  const [broken, sound] = await Promise.allSettled([
    all(reader.read('products', TERMS, sentRecords(bytes('{"product_sku_id":"tea"')))),
    all(reader.read('products', TERMS, sentRecords(bytes('{"product_sku_id":"tea","amount":"1.50"}')))),
  ])
  assert.equal(broken.status === 'rejected' && broken.reason instanceof InvalidInput && broken.reason.path, 'body')
  assert.deepEqual(sound.status === 'fulfilled' && sound.value.accepted.map(({ row }) => row), ['tea\t1.5'])
})

test('reading is abandoned when the service stops, so that nobody waits for it', async () => {
  const reader = openRowReader()
  const reading = all(reader.read('products', TERMS, sentRecords([Uint8Array.from(Buffer.from('{}'))])))
  await reader.close()
  await assert.rejects(reading, /thread ended/)
  const other = openRowReader()
  assert.equal((await all(other.read('products', TERMS, sentRecords([[{}]])))).rejected.length, 1)
  await other.close()
})

test('the worker thread lets other threads of the process go first', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const before = threadsByNiceness()
  await all(open(t).read('players', TERMS, sentRecords([[aRecord('u-1', 'Asha')]])))
  const after = threadsByNiceness()
  assert.deepEqual([...after.keys()].sort(), [0, 10])
  assert.ok(after.get(0)! >= before.get(0)!)
  assert.equal(after.get(10), 1 + (before.get(10) ?? 0))
})

/** How many threads this process has, by niceness. */
function threadsByNiceness(): Map<number, number> {
  const threads = readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/stat`, 'utf8'))
  // The name of a thread, in brackets, may contain blanks.
  const niceness = threads.map((stat) => Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17]))
  return new Map([...Map.groupBy(niceness, (nice) => nice)].map(([nice, all]) => [nice, all.length]))
}
