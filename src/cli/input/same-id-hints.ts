/*
 * What to do about two orders under one number, by the names of the file.
 */
import { mapOption, rowsOption } from './column-suggestions.ts'
import { type MappingRules, ORDER_KEY, ORDER_TIME } from './mapping-options.ts'
import type { SameIdHints } from './oldest-first.ts'

export function sameIdHintsOf(rules: MappingRules): SameIdHints {
  return { restart: restartHintOf(rules), return: returnHintOf(rules) }
}

/**
 * With the moment in the id, unless it has no column of its own, or may differ in the rows of an order. Columns that are alternatives are not named:
 * joined, they would make another id.
 */
function restartHintOf({ formulas, defaults }: MappingRules): string {
  const joinedIn = (target: string): readonly string[] | undefined => {
    const { columns, isJoined, rows } = formulas.get(target) ?? { columns: [target], isJoined: true, rows: 'same' }
    return isJoined === true && rows === 'same' ? columns : undefined
  }
  const numbers = joinedIn(ORDER_KEY) ?? ['NUMBER']
  const timeColumns = formulas.has(ORDER_TIME) || !defaults.has(ORDER_TIME) ? joinedIn(ORDER_TIME) : undefined
  return timeColumns === undefined
    ? `numbers that start again need the year in the ID, from a column that has it: ${mapOption(ORDER_KEY, 'COLUMN', ...numbers)}`
    : `numbers that start again need the date in the ID: ${mapOption(ORDER_KEY, ...timeColumns, ...numbers)}`
}

/** With the options that the command lacks to take returns off the orders under whose numbers they stand. */
function returnHintOf({ formulas, leaveOut, hasLines }: MappingRules): string {
  const joined = (target: string, how: 'sum' | 'first') => {
    const { columns, rows } = formulas.get(target) ?? { columns: [target], rows: 'same' }
    return rows === 'same' ? [rowsOption(target, how, columns.length === 1 ? columns[0]! : '...')] : []
  }
  const options = [
    ...(hasLines ? [] : ['--map products.product_sku_id=...']),
    ...joined('total_amount', 'sum'),
    ...joined(ORDER_TIME, 'first'),
    ...(leaveOut.has('products') ? [] : ['--leave-out products']),
  ]
  // Of the rows of an order, the first may be the return, and the order would be returned as a whole.
  const without = formulas.has('status') ? ', and without --map status' : ''
  return `what is below 0 came back, and is taken off its order with ${options.join(' ')}${without}`
}
