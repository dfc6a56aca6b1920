/*
 * Checks the columns of a table, and the names in records, before their values are read: a field that every record needs has a column, and
 * a name that no record has is reported.
 */

import type { RecordFields } from '../../engine/ingest/record.ts'
import { shown } from '../../engine/ingest/shown.ts'
import { OperatorError } from '../../errors.ts'
import { ATTRIBUTES, isAttributeColumn } from './attribute-columns.ts'
import {
  findNearestName,
  isShare,
  mapOption,
  missingColumnsText,
  nearestOption,
  remedies,
  rowsOption,
} from './column-suggestions.ts'
import type { CompiledFormula } from './formula.ts'
import { type FieldFormula, LINE_PREFIX, type MappingRules, ORDER_TIME, PLAYER_KEY } from './mapping-options.ts'
import { findPresetOf } from './presets/find-preset.ts'

const NAMED_MAX = 8

/**
 * Checks the first line of a table. A dry run goes on if only settings of the shop stand in its way. Errors: OperatorError with all columns of --map
 * that do not exist, and all fields without a column, of which every record would be skipped.
 */
export function checkColumns(
  recordType: string,
  rules: MappingRules,
  fields: RecordFields,
  columns: readonly string[],
  dryRun: boolean,
): void {
  const wrong = wrongColumns(rules, columns)
  const isWrong = (wire: string) => wrong.some(({ target }) => target === wire || target.startsWith(`${wire}.`))
  const missing = missingFields(rules, fields, columns).filter((wire) => !isWrong(wire))
  if (wrong.length + missing.length === 0) return
  refuseOtherSeparator(columns)
  const texts = [
    ...(wrong.length === 0 ? [] : [wrongColumnsText(wrong, columns)]),
    ...(missing.length === 0 ? [] : missingFieldsText(rules, fields, missing, columns, dryRun)),
  ]
  if (texts.length === 0) return
  const preset = rules.preset === undefined && missing.length > 0 ? findPresetOf(columns, recordType) : undefined
  if (preset === undefined) throw new OperatorError(texts.join('; '))
  const opening = `the first line is probably that of an export of ${preset}: add --preset ${preset}`
  // Without any --map, the preset is all that is missing.
  throw new OperatorError(rules.mappedFields.size === 0 ? opening : [opening, ...texts].join('; '))
}

/** Warns of what is hardly meant: percentages read as amounts, and new orders without a time, which count as placed now. */
export function warnOfColumns(
  rules: MappingRules,
  fields: RecordFields,
  columns: readonly string[],
  note: (text: string) => void,
): void {
  const { formulas, defaults } = rules
  for (const target of AMOUNTS) {
    const share = formulas.get(target)?.columns.find((column) => isShare(column) && columns.includes(column))
    if (share !== undefined) note(shareText(share, target))
  }
  const ofTime = formulas.get(ORDER_TIME)?.columns ?? [ORDER_TIME]
  const hasTime = defaults.has(ORDER_TIME) || ofTime.some((column) => columns.includes(column))
  const isOfOrders = Object.values(fields).some(({ wire }) => wire === ORDER_TIME)
  if (isOfOrders && !hasTime) note(undatedText(columns))
}

function shareText(column: string, target: string): string {
  return `${shown(column)} is read as an amount for ${target}, but its name suggests percentages: 10 % would be 10.00; use --map ${target}=... with a column of amounts`
}

function undatedText(columns: readonly string[]): string {
  const day = findNearestName(ORDER_TIME, columns)
  const time = columns.find((name) => TIME_OF_DAY.test(name))
  const option =
    day !== undefined && time !== undefined && /^\w+$/.test(day)
      ? `--map "${ORDER_TIME}=${day}+' '+${time}"`
      : mapOption(ORDER_TIME, day ?? 'COLUMN')
  return `no column says when orders were placed, so new ones count as placed now: ${option}`
}

const AMOUNTS = ['total_amount', 'discount', 'amount', 'products.amount']
const TIME_OF_DAY = /^(?:time|uhrzeit|zeit|tijd|heure|hora|ora)$/i

/** A column of --map that does not exist, and the formula that names it. */
type WrongColumn = Readonly<{ target: string; column: string; formula: FieldFormula }>

function wrongColumns({ mappedFields, formulas }: MappingRules, columns: readonly string[]): readonly WrongColumn[] {
  return [...mappedFields].flatMap((target) => {
    const formula = formulas.get(target)!
    const unknown = formula.columns.filter((column) => !columns.includes(column))
    return unknown.map((column) => ({ target, column, formula }))
  })
}

function wrongColumnsText(wrong: readonly WrongColumn[], columns: readonly string[]): string {
  const guesses = wrong.flatMap(({ target, column, formula }) => {
    const nearest = findNearestName(column, columns)
    if (nearest === undefined) return []
    const { rows } = formula
    const option = rows === 'same' ? mapOption(target, nearest) : rowsOption(target, rows, nearest)
    return [
      { suggestion: `${shown(nearest)} for ${shown(column)}`, typed: formula.columns.length === 1 ? [option] : [] },
    ]
  })
  const names = new Set(wrong.map(({ column }) => shown(column)))
  const opening = `--map names ${[...names].join(', ')}, and the first line has no such column`
  if (guesses.length === 0) return opening
  const suggestions = new Set(guesses.map((guess) => guess.suggestion))
  const typed = guesses.flatMap((guess) => guess.typed)
  const write = typed.length === 0 ? '' : ` Write ${typed.join(' ')}`
  return `${opening}; did you mean ${[...suggestions].join(', ')}?${write}`
}

/** The fields that every record needs and that have no source. */
function missingFields(
  { formulas, defaults, hasLines }: MappingRules,
  fields: RecordFields,
  columns: readonly string[],
): readonly string[] {
  const isThere = ({ columns: wanted }: CompiledFormula) =>
    wanted.length === 0 || wanted.some((column) => columns.includes(column))
  const isFilled = (wire: string) => {
    if (defaults.has(wire)) return true
    if (wire === 'products' && hasLines) return lineFormulas(formulas).some(isThere)
    const formula = formulas.get(wire)
    return formula === undefined ? columns.includes(wire) : isThere(formula)
  }
  return Object.values(fields)
    .filter(({ required, wire }) => required && !isFilled(wire))
    .map(({ wire }) => wire)
}

function lineFormulas(formulas: MappingRules['formulas']): readonly FieldFormula[] {
  return [...formulas].filter(([target]) => target.startsWith(LINE_PREFIX)).map(([, formula]) => formula)
}

/** Errors: OperatorError if the only column is probably several. */
function refuseOtherSeparator(columns: readonly string[]): void {
  const [only = ''] = columns
  const separator = columns.length === 1 ? /[,;\t|]/.exec(only)?.[0] : undefined
  if (separator === undefined) return
  const typed = separator === '\t' ? 'tab' : `"${separator}"`
  throw new OperatorError(
    `the first line has one column, ${shown(only)}; if its names are separated, write --delimiter ${typed}`,
  )
}

/** What to do about fields without a source: none in a dry run that may go on without them. */
function missingFieldsText(
  { formulas, hasLines, preset }: MappingRules,
  fields: RecordFields,
  missing: readonly string[],
  columns: readonly string[],
  dryRun: boolean,
): readonly string[] {
  const isOfPlayers = Object.values(fields).some(({ wire }) => wire === PLAYER_KEY)
  const otherWay = isOfPlayers ? (rest: readonly string[]) => requireLess(fields, rest) : undefined
  const ofPreset = missing.filter((wire) => formulas.has(wire) || (wire === 'products' && hasLines))
  if (preset !== undefined && ofPreset.length > 0) {
    const [wire = ''] = ofPreset
    const wanted = formulas.get(wire)?.columns ?? lineFormulas(formulas).flatMap((formula) => formula.columns)
    const text = `the preset reads ${wire} from ${wanted.map((column) => shown(column)).join(' or ')}, and the first line has no such column: it is for the export of ${preset.of}`
    return [[text, ...remedies(ofPreset, columns, otherWay)].join('\n  ')]
  }
  const canDoWithout = (wire: string) => wire !== PLAYER_KEY && findNearestName(wire, columns) === undefined
  if (dryRun && isOfPlayers && missing.every(canDoWithout)) return []
  return [missingColumnsText(missing, columns, otherWay)]
}

/** How to accept players without the missing fields (decision 70). */
function requireLess(fields: RecordFields, missing: readonly string[]): string {
  const kept = Object.values(fields).filter(
    ({ required, wire }) => required && wire !== PLAYER_KEY && !missing.includes(wire),
  )
  const list = kept.map(({ wire }) => wire).join() || '""'
  return `or let players do without: npx --no laurel settings set players.required ${list} (--dry-run finds every such setting)`
}

/** Warns once of each name that no record has, and none of the `unsent` fields: it is mistyped, or another system's name for a field. */
export function createUnknownNames(
  fields: RecordFields,
  { formulas, defaults }: Pick<MappingRules, 'formulas' | 'defaults'>,
  unsent: RecordFields,
  note: (text: string) => void,
): (names: readonly string[]) => void {
  const fieldNames = Object.values(fields).map(({ wire }) => wire)
  const used = [...formulas.values()].flatMap(({ columns }) => columns)
  const expected = new Set([...fieldNames, ...used, ...Object.values(unsent).map(({ wire }) => wire)])
  const named = new Set<string>()
  return (names) => {
    if (named.size >= NAMED_MAX) return
    const isKnown = (name: string) => expected.has(name) || (isAttributeColumn(name) && expected.has(ATTRIBUTES))
    const unknown = names.filter((name) => !isKnown(name) && !named.has(name))
    if (unknown.length === 0) return
    for (const name of unknown) named.add(name)
    // Attributes come in columns of their own names, and most files have none.
    const isOpen = (wire: string) => !formulas.has(wire) && !defaults.has(wire) && !names.includes(wire)
    const open = fieldNames.filter((wire) => wire !== ATTRIBUTES && isOpen(wire))
    const meant = open.flatMap((wire) => nearestOption(wire, unknown) ?? [])
    const fieldsLeft = open.length === 0 ? '' : `; fields not given: ${listed(open)}`
    const hint = meant.length === 0 ? '' : `; perhaps ${meant.join(' ')}`
    note(`unknown fields, ignored: ${listed(unknown.map((name) => shown(name)))}${fieldsLeft}${hint}`)
  }
}

/** The first names of a list, and how many more there are. */
function listed(names: readonly string[]): string {
  const more = names.length - NAMED_MAX
  return more <= 0 ? names.join(', ') : `${names.slice(0, NAMED_MAX).join(', ')} and ${more} more`
}
