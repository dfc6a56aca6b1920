/*
 * The figures in responses of statistics, by the names of the plain count.
 */
import assert from 'node:assert/strict'
import { OLDEST_DAYS } from './figures-clients.ts'
import { type Count, dayAgo } from './figures-count.ts'

export type Quality = 'exact' | 'swept' | 'sampled' | 'counted'

/** A figure with its moment and quality. `isOfAccounts`: it must be at most a minute old. */
export type Shown = Readonly<{ name: string; value: number; as_of: string; quality: Quality; isOfAccounts: boolean }>

type Fields = 'n' | 'points' | 'both'

/** Every figure of the summary: a further one belongs here, and into what the clients count. */
const SUMMARY: Readonly<Record<string, Fields>> = {
  issued: 'both',
  'taken-back': 'both',
  spent: 'both',
  adjusted: 'both',
  'adjusted-net': 'both',
  orders: 'both',
  revisions: 'n',
  nothing: 'n',
  asked: 'n',
  'came-true': 'n',
  differed: 'both',
  'not-compared': 'n',
  balance: 'points',
  debts: 'points',
  outstanding: 'points',
  pending: 'points',
  held: 'points',
  expired: 'points',
  'active-30': 'n',
  'active-90': 'n',
}
const OF_ACCOUNTS = ['outstanding', 'pending', 'held', 'expired', 'active-30', 'active-90']
const LISTS = ['points', 'rules', 'orders', 'levels'] as const
const TOP_MAX = 100

type Named = Readonly<{ as_of: string; quality: Quality }>
// biome-ignore lint/suspicious/noExplicitAny: as in ServiceResponse.
type Body = any

let questions = 0

/** The next question: the summary every other time. A response is cached for some seconds, so each asks about another span. */
export function nextQuestion(): string {
  questions += 1
  const place = (questions >> 1) % (LISTS.length + 1)
  if (questions % 2 === 1) return `summary?from=${dayAgo(OLDEST_DAYS + 1 + (questions % 300))}`
  if (place === LISTS.length) return 'accounts'
  const basis = Math.random() < 0.5 ? 'ordered' : 'booked'
  return `${LISTS[place]}?per=day&basis=${basis}&from=${dayAgo(OLDEST_DAYS + 1 + (questions % 18))}`
}

/** All questions about the present. */
export const everyQuestion = (): string[] => [
  `summary?from=${dayAgo(OLDEST_DAYS + 1)}`,
  'accounts',
  ...LISTS.flatMap((list) =>
    ['ordered', 'booked'].map((basis) => `${list}?per=day&basis=${basis}&from=${dayAgo(OLDEST_DAYS + 1)}`),
  ),
]

/** The figures in the response to a question. Errors: AssertionError for a figure of the summary that is not known here. */
export function shownIn(question: string, body: Body, count: Count): Shown[] {
  const [route] = question.split('?') as ['summary' | 'accounts' | (typeof LISTS)[number]]
  if (route === 'summary') return ofSummary(body)
  if (route === 'accounts') return ofAccounts(body)
  const levels = route === 'levels' ? ofLevels(body) : []
  return [...levels, ...ofList(route, body, count)]
}

function shown(name: string, value: unknown, { as_of, quality }: Named, isOfAccounts = false): Shown[] {
  assert(value !== null, name)
  return [{ name, value: Number(value), as_of, quality, isOfAccounts }]
}

function ofSummary({ figures, worth }: Body): Shown[] {
  const names = figures.map(({ figure }: Body) => figure)
  assert.deepEqual(names, Object.keys(SUMMARY), 'the summary has the figures that are counted here')
  assertWorth(
    worth,
    figures.find(({ figure }: Body) => figure === 'outstanding'),
  )
  return figures.flatMap((figure: Body) => {
    const { figure: name, n, points } = figure
    const fields = SUMMARY[name]
    assert.deepEqual([n !== null, points !== null], [fields !== 'points', fields !== 'n'], name)
    const isOfAccounts = OF_ACCOUNTS.includes(name)
    return [
      ...(n === null ? [] : shown(`summary ${name} n`, n, figure, isOfAccounts)),
      ...(points === null ? [] : shown(`summary ${name} points`, points, figure, isOfAccounts)),
    ]
  })
}

/** Four points pay 1. */
function assertWorth(worth: Body, { points, as_of, quality }: Body): void {
  const outstanding = String(Number(points) / 4)
  const { each, by } = worth
  assert.deepEqual(
    { each, by, outstanding: worth.outstanding, as_of: worth.as_of, quality: worth.quality },
    { each: '0.25', by: 'program', outstanding, as_of, quality },
  )
}

function ofAccounts(body: Body): Shown[] {
  const { points, swept_at, quality } = body
  const swept = { as_of: swept_at, quality }
  const top = body.top.map(({ points: of }: Body) => Number(of))
  assert.deepEqual(
    top,
    top.toSorted((a: number, b: number) => b - a),
    'the largest balance is the first',
  )
  return [
    ...['players', 'balance', 'debts'].flatMap((name) =>
      shown(name === 'players' ? 'accounts players' : `summary ${name} points`, body[name], swept),
    ),
    ...['outstanding', 'pending', 'held', 'expired'].flatMap((name) =>
      shown(`summary ${name} points`, points[name], points, true),
    ),
    ...['active_30', 'active_90'].flatMap((name) =>
      shown(`summary ${name.replace('_', '-')} n`, body[name].n, body[name], true),
    ),
    ...ofLevels(body),
    ...body.top.flatMap((one: Body) => shown(`balance of ${one.user_id}`, one.points, one)),
  ]
}

/** Asserts that nobody is missing among the largest balances who has had more ever since they were looked at. */
export function assertTop({ top, swept_at }: Body, answeredAt: number, count: Count): void {
  const least = top.length < TOP_MAX ? 0 : Number(top.at(-1).points)
  const listed = new Set(top.map(({ user_id }: Body) => `balance of ${user_id}`))
  for (const name of count.names('balance of ')) {
    const had = count.boundsOf(name, Date.parse(swept_at), answeredAt).least
    assert(listed.has(name) || had <= least, `${name} is at least ${had} and not among the largest, down to ${least}`)
  }
}

function ofLevels({ levels }: Body): Shown[] {
  return levels.flatMap((one: Body) => shown(`level ${one.level}`, one.n, one))
}

/** The lines of a list, whatever program computed them. A line that is not there is 0. */
function ofList(list: string, { as_of, basis, lines, moves }: Body, count: Count): Shown[] {
  const found = new Map<string, Shown>()
  const put = (name: string, value: number, named: Named) =>
    found.set(name, shown(name, value + (found.get(name)?.value ?? 0), named)[0]!)
  for (const line of lines ?? moves) {
    const { day, measure = 'level', key = `${line.before} ${line.after}`, n, points = '0' } = line
    put(`${list} ${basis} ${day} ${measure} ${key} n`, n, line)
    put(`${list} ${basis} ${day} ${measure} ${key} points`, Number(points), line)
  }
  for (const name of count.names(`${list} ${basis} `)) if (!found.has(name)) put(name, 0, { as_of, quality: 'exact' })
  return [...found.values()]
}
