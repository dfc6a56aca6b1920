/*
 * The tables of docs/operating.md that the code knows.
 */
import { SETTINGS } from '../../src/config.ts'
import { ROLES } from '../../src/scopes.ts'
import { LOG_EVENTS } from '../../src/telemetry/log-events.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { asCode, markdownTable } from './table.ts'

type Setting = Readonly<{
  env: string
  formerly?: string
  fallback: unknown
  unit: string
  about: string
  range?: readonly [number, number]
  words?: readonly string[]
  inFile?: true
}>

const MIB = 1024 * 1024

/** Every setting of src/config.ts. */
export function settingsTable(): string {
  const settings: readonly Setting[] = Object.values(SETTINGS)
  const rows = settings.map((setting) => [
    asCode(setting.env),
    shownDefault(setting),
    shownValues(setting),
    described(setting),
  ])
  return markdownTable(['Setting', 'Default', 'Values', 'Description'], rows)
}

function described({ env, about, formerly, inFile }: Setting): string {
  if (inFile) return `${about}. In a file: ${asCode(`${env}_FILE`)}`
  return formerly === undefined ? about : `${about}. Deprecated name: ${asCode(formerly)}`
}

function shownDefault({ fallback, unit }: Setting): string {
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return 'none'
  const inMib = unit === 'bytes' && Number(fallback) >= MIB ? ` (${Number(fallback) / MIB} MiB)` : ''
  return `${asCode(String(fallback))}${inMib}`
}

function shownValues({ range, words, unit }: Setting): string {
  if (words !== undefined) return words.map(asCode).join(', ')
  if (range === undefined) return unit
  const bounds = range.map((bound) => bound.toLocaleString('en')).join(' to ')
  return unit === 'port' ? bounds : `${bounds} ${unit}`
}

/** The scopes of every role of src/scopes.ts. */
export function rolesTable(): string {
  const rows = Object.entries(ROLES).map(([role, scopes]) => [asCode(role), scopes.map(asCode).join(', ')])
  return markdownTable(['Role', 'Scopes'], rows)
}

/** Every metric of src/telemetry/metrics.ts with its help text, by name; labels whose values are known in advance are those of its samples. */
export async function metricsTable(): Promise<string> {
  const text = await createMetrics(() => ({})).text()
  const metrics = [...text.matchAll(/^# HELP (laurel_\w+) (.+)$/gm)].sort(([, one], [, other]) =>
    one! < other! ? -1 : 1,
  )
  const rows = metrics.map(([, name, help]) => [asCode(name!), shownLabels(text, name!), help!])
  return markdownTable(['Metric', 'Labels', 'Description'], rows)
}

function shownLabels(text: string, metric: string): string {
  const values = new Map<string, Set<string>>()
  for (const [, labels] of text.matchAll(new RegExp(`^${metric}\\{(.*)\\} `, 'gm')))
    for (const [, label, value] of labels!.matchAll(/(\w+)="([^"]*)"/g))
      values.set(label!, (values.get(label!) ?? new Set()).add(value!))
  return [...values].map(([label, all]) => `${asCode(label)}: ${[...all].map(asCode).join(', ')}`).join('; ')
}

/** Every kind of log line of src/telemetry/log-events.ts; kinds that share an entry share a row. */
export function logEventsTable(): string {
  const rows = Map.groupBy(Object.entries(LOG_EVENTS), ([, event]) => event)
  return markdownTable(
    ['Event (`msg`)', 'Level', 'Description'],
    [...rows].map(([{ level, levelOfFailure, about }, events]) => [
      events.map(([kind]) => asCode(kind)).join(', '),
      levelOfFailure === undefined ? level : `${level}; ${levelOfFailure} from status 500`,
      about,
    ]),
  )
}
