/*
 * Checks the columns of a table, and the names in records, before their values are read: a field that every record needs has a column, and
 * a name that no record has is reported.
 */

import type { RecordFields } from '../../engine/ingest/record.ts'
import { shown } from '../../engine/ingest/shown.ts'
import { OperatorError } from '../../errors.ts'
import { noteLine } from '../output/print.ts'
import { findNearestName, mapOption, missingColumnsText, sumOption } from './column-suggestions.ts'
import type { CompiledFormula } from './formula.ts'
import { LINE_PREFIX, type MappingRules, PLAYER_KEY } from './mapping-options.ts'

const UNKNOWN_NAMED_MAX = 20

/**
 * Checks the first line of a table. A dry run goes on if only settings of the shop stand in its way. Errors: OperatorError if a field has no
 * column: every record would be skipped.
 */
export function checkColumns(
  rules: MappingRules,
  fields: RecordFields,
  columns: readonly string[],
  dryRun: boolean,
): void {
  checkWritten(rules, columns)
  checkFilled(rules, fields, columns, dryRun)
}

/** Errors: OperatorError if a formula of --map names a column that does not exist. */
function checkWritten({ written, formulas }: MappingRules, columns: readonly string[]): void {
  for (const target of written)
    for (const column of formulas.get(target)!.columns) {
      if (columns.includes(column)) continue
      const nearest = findNearestName(column, columns)
      const option = formulas.get(target)!.rows === 'sum' ? sumOption : mapOption
      const hint = nearest === undefined ? '' : `; did you mean ${option(target, nearest)}?`
      throw new OperatorError(`--map ${target}: the first line has no column ${shown(column)}${hint}`)
    }
}

/** Errors: OperatorError if a field that every record needs has no source. */
function checkFilled(
  { formulas, defaults, hasLines, preset }: MappingRules,
  fields: RecordFields,
  columns: readonly string[],
  dryRun: boolean,
): void {
  const isOfPlayers = Object.values(fields).some(({ wire }) => wire === PLAYER_KEY)
  const isThere = ({ columns: wanted }: CompiledFormula) =>
    wanted.length === 0 || wanted.some((column) => columns.includes(column))
  const lines = [...formulas].filter(([target]) => target.startsWith(LINE_PREFIX)).map(([, formula]) => formula)
  const isFilled = (wire: string) => {
    if (defaults.has(wire)) return true
    if (wire === 'products' && hasLines) return lines.some(isThere)
    const formula = formulas.get(wire)
    return formula === undefined ? columns.includes(wire) : isThere(formula)
  }
  const missing = Object.values(fields)
    .filter(({ required, wire }) => required && !isFilled(wire))
    .map(({ wire }) => wire)
  if (missing.length === 0) return
  const [only = ''] = columns
  const separator = columns.length === 1 ? /[;\t|]/.exec(only)?.[0] : undefined
  if (separator !== undefined) {
    const typed = separator === '\t' ? 'tab' : `"${separator}"`
    throw new OperatorError(
      `the first line has one column, ${shown(only)}; if its names are separated, write --delimiter ${typed}`,
    )
  }
  const ofPreset = missing.filter((wire) => formulas.has(wire) || (wire === 'products' && hasLines))
  if (preset !== undefined && ofPreset.length > 0) {
    const [wire = ''] = ofPreset
    const wanted = formulas.get(wire)?.columns ?? lines.flatMap((formula) => formula.columns)
    throw new OperatorError(
      `the preset reads ${wire} from ${wanted.map((column) => shown(column)).join(' or ')}, and the first line has no such column: it is for the export of ${preset.of}`,
    )
  }
  const canDoWithout = (wire: string) => wire !== PLAYER_KEY && findNearestName(wire, columns) === undefined
  if (dryRun && isOfPlayers && missing.every(canDoWithout)) return
  const otherWay = isOfPlayers ? (rest: readonly string[]) => requireLess(fields, rest) : undefined
  throw new OperatorError(missingColumnsText(missing, columns, otherWay))
}

/** How to accept players without the missing fields (decision 70). */
function requireLess(fields: RecordFields, missing: readonly string[]): string {
  if (missing.every((wire) => wire === PLAYER_KEY)) return ''
  const kept = Object.values(fields).filter(
    ({ required, wire }) => required && wire !== PLAYER_KEY && !missing.includes(wire),
  )
  const list = kept.map(({ wire }) => wire).join() || '""'
  return `, or let players do without: npx --no laurel settings set players.required ${list} (--dry-run finds every such setting)`
}

/** Warns once of each name that no record has, and none of the `unsent` fields: it is mistyped, or another system's name for a field. */
export function createUnknownNames(
  fields: RecordFields,
  formulas: MappingRules['formulas'],
  unsent: RecordFields,
): (names: readonly string[]) => void {
  const known = Object.values(fields).map(({ wire }) => wire)
  const used = [...formulas.values()].flatMap(({ columns }) => columns)
  const expected = new Set([...known, ...used, ...Object.values(unsent).map(({ wire }) => wire)])
  const named = new Set<string>()
  return (names) => {
    if (named.size >= UNKNOWN_NAMED_MAX) return
    const unknown = names
      .filter((name) => !expected.has(name) && !named.has(name))
      .slice(0, UNKNOWN_NAMED_MAX - named.size)
    if (unknown.length === 0) return
    for (const name of unknown) named.add(name)
    const shownNames = unknown.map((name) => shown(name)).join(', ')
    const meant = known.flatMap((wire) => {
      const column = formulas.has(wire) || names.includes(wire) ? undefined : findNearestName(wire, unknown)
      return column === undefined ? [] : [mapOption(wire, column)]
    })
    const hint = meant.length === 0 ? '' : `; perhaps ${meant.join(' ')}`
    noteLine`laurel: ignored, as no record has such a field: ${shownNames}; expected ${known.join(', ')}${hint}`
  }
}
