/*
 * The orders of a file, oldest first: what an order earns may depend on the orders before it, and an export may be newest first (decision 123).
 */

import { timestamp } from '../../engine/ingest/fields.ts'
import { orderFields } from '../../engine/ingest/order.ts'
import { optional } from '../../engine/ingest/record.ts'
import { compareValues } from '../../engine/points/arithmetic.ts'
import type { RecordIssue } from './collect-field-issues.ts'
import type { CreateSort } from './disk-sort.ts'
import { fieldOf, findInstant, type ImportRecord, isBelowZero, isRow } from './import-record.ts'

/** The field that only says which state of an order, or which values of a player, are the later ones, and is not sent. */
export const UPDATE_TIME = 'updated_at'

/** The fields of an order in a file: those of the wire, and one that only orders its states. */
export const importedOrderFields = { ...orderFields, updatedAt: optional(UPDATE_TIME, timestamp, undefined) }

/** Gets all orders of a file in the sequence in which they will be sent, before the first one is. */
export type OnSorted = (count: number, orders: Iterable<ImportRecord>) => Promise<void>

/** What to do about two orders under one number, by the names of the file. */
export type SameIdHints = Readonly<{
  /** Where numbers start again, as those of tills do each year. */
  restart: string
  /** Where returns stand under the numbers of what they return. */
  return: string
}>

/** Sorts after every moment: without one, an order is placed now. */
const NOW = '~'
const STATES_MAX = 1_000

/**
 * Sorts orders by their moments, then by id; before them come those that are not sent, in the order of the file. The states of an order stay together, the oldest first: by `state_version`, else by the time of the
 * update; where neither decides and the states differ, they are refused, with one of `hints`. `onSorted` gets all of them, and their number, before the first one.
 * Errors: OperatorError if there is no space on disk.
 */
export async function* oldestFirst(
  records: AsyncIterable<ImportRecord>,
  onSorted: OnSorted,
  hints: SameIdHints,
  createSort: CreateSort,
): AsyncIterable<ImportRecord> {
  using byId = createSort<ImportRecord>()
  using byTime = createSort<ImportRecord>()
  let count = 0
  for await (const record of records) {
    byId.add([idOf(record) ?? '', '', count], record)
    count += 1
  }
  for (const states of groupsById(byId.sorted())) {
    const ordered = inSequence(states, hints)
    const at = ordered.map(({ record }) => findInstant(record, 'ordered_at')).find((one) => one !== undefined)
    for (const [place, state] of ordered.entries())
      byTime.add(state.issues.length > 0 ? ['', '', state.line] : [at ?? NOW, idOf(state) ?? '', place], state)
  }
  await onSorted(count, byTime.sorted())
  yield* byTime.sorted()
}

/** A record without an id is a group of its own, as is what an order has beyond `STATES_MAX`. */
function* groupsById(sorted: Iterable<ImportRecord>): Iterable<ImportRecord[]> {
  let group: ImportRecord[] = []
  for (const one of sorted) {
    const isNext = idOf(one) !== undefined && group.length > 0 && idOf(group[0]!) === idOf(one)
    if (group.length > 0 && (!isNext || group.length === STATES_MAX)) {
      yield group
      group = []
    }
    group.push(one)
  }
  if (group.length > 0) yield group
}

function inSequence(states: readonly ImportRecord[], hints: SameIdHints): readonly ImportRecord[] {
  const good = states.filter(({ issues }) => issues.length === 0)
  if (new Set(good.map(contentOf)).size <= 1) return states
  return (
    byRank(states, good, ({ record }) => versionIn(record)) ??
    byRank(states, good, ({ record }) => findInstant(record, UPDATE_TIME)) ??
    states.map((state) => ({ ...state, issues: [...state.issues, undecided(good, hints)] }))
  )
}

/** The states by a rank; undefined if one of them has none, or if two that differ have the same. */
function byRank<Rank extends string | number>(
  states: readonly ImportRecord[],
  good: readonly ImportRecord[],
  rankOf: (state: ImportRecord) => Rank | undefined,
): readonly ImportRecord[] | undefined {
  const ranked: { state: ImportRecord; rank: Rank }[] = []
  const contents = new Map<Rank, string>()
  for (const state of good) {
    const [rank, content] = [rankOf(state), contentOf(state)]
    if (rank === undefined || (contents.get(rank) ?? content) !== content) return undefined
    contents.set(rank, content)
    ranked.push({ state, rank })
  }
  ranked.sort((a, b) => compareValues(a.rank, b.rank))
  return [...ranked.map(({ state }) => state), ...states.filter((state) => !good.includes(state))]
}

function undecided(states: readonly ImportRecord[], hints: SameIdHints): RecordIssue {
  const lines = states.slice(0, 3).map(({ line }) => line)
  const times = new Set(states.map(({ record }) => findInstant(record, 'ordered_at')))
  const statuses = new Set(states.map(({ record }) => fieldOf(record, 'status')))
  const sold = states.filter(({ record }) => !isBelowZero(fieldOf(record, 'total_amount')))
  const isReturn = sold.length === 1
  // Where one is placed and the other returned, the number did not start again.
  const remedy = isReturn ? hints.return : times.size > 1 && statuses.size === 1 ? hints.restart : ''
  const hint = remedy === '' ? '' : ` (${remedy})`
  return {
    field: 'order_id',
    error: `expected one state of the order, or state_version or ${UPDATE_TIME} in each, which say which one is the latest${hint}, in lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`,
  }
}

function contentOf({ record }: ImportRecord): string {
  return JSON.stringify(withoutUpdateTime(record))
}

function idOf({ record }: ImportRecord): string | undefined {
  const id = fieldOf(record, 'order_id')
  return typeof id === 'string' && id !== '' ? id : undefined
}

function versionIn(record: unknown): number | undefined {
  const version = fieldOf(record, 'state_version')
  return version === undefined || version === null || version === '' || Number.isNaN(Number(version))
    ? undefined
    : Number(version)
}

/** An order as it is sent. */
export function withoutUpdateTime(record: unknown): unknown {
  if (!isRow(record) || !Object.hasOwn(record, UPDATE_TIME)) return record
  const { [UPDATE_TIME]: _, ...rest } = record
  return rest
}
