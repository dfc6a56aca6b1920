/*
 * Joins the rows of an order into one record. A field of the order may be filled in any of its rows; rows that contradict each other are a
 * issue, and never half an order (docs/decisions/0123-import-formats.md).
 */
import { InvalidValue } from '../../engine/ingest/record.ts'
import { shown } from '../../engine/ingest/shown.ts'
import { AMOUNT_SCALE, amountText, parseAmount, sumAmounts } from '../../engine/points/arithmetic.ts'
import { computeNet } from '../../engine/points/bases.ts'
import { ORDER_LINES_MAX } from '../../engine/points/model.ts'
import { roundTo } from '../../engine/points/rounding.ts'
import type { RecordIssue } from './collect-field-issues.ts'
import { rowsOption } from './column-suggestions.ts'
import { isBlank, type SourceRow, sumCell } from './formula.ts'
import { isBelowZero } from './import-record.ts'
import type { OrderColumn, RecordMapping, RowReaders } from './record-mapping.ts'

const UNNUMBERED = 'order number missing: fill it in, and remove total rows'

const UNCLEAR_DISCOUNT =
  'expected discounts greater than 0 in an order with returned goods, as a negative one may be a discount or its reversal: correct total_amount and discount in the file of skipped records'

/** A row of a file; `place` counts them. */
export type RowOfOrder = Readonly<{ line: number; place: number; row: SourceRow; structural: readonly RecordIssue[] }>

/** What the cells of a column add up to: those above 0, and those below. */
type Sum = Readonly<{ above: bigint; below: bigint }>

const NO_SUM: Sum = { above: 0n, below: 0n }

/** Two cells of a column that should be the same. */
type Difference = Readonly<{ how: OrderColumn; cells: readonly [string, string] }>

type OpenOrder = {
  line: number
  /** The place of the last row in the file. */
  place: number
  id: unknown
  /** The cells of all rows so far, as one row. */
  row: Record<string, unknown>
  sums: Map<string, Sum>
  differences: Difference[]
  /** Of the rows of each moment and status, whether the lines of all are below 0. */
  areBelow: Map<string, boolean>
  /** The columns in which rows differ, or which cannot be added up: the first issue of each is enough. */
  faulty: Set<string>
  lines: unknown[]
  issues: RecordIssue[]
  leftOut: RecordIssue[]
}

/** Joins the rows of an order, which come one after another: those with its id, or with none, unless rows are added up. */
export function createOrderRows(mapping: RecordMapping, { readId, read, readLine }: RowReaders) {
  const hasSums = mapping.orderColumns.some(({ rows }) => rows === 'sum')
  const kindColumns = ['ordered_at', 'status'].flatMap(mapping.columnsOf)
  let open: OpenOrder | undefined
  function* end() {
    if (open === undefined) return
    const { line, row, lines, leftOut } = open
    const totals = totalsOf(open, mapping.orderColumns)
    const issues = [...differenceIssues(open, mapping), ...open.issues]
    open = undefined
    const mapped = read({ ...row, ...totals })
    const withIssues = new Set(issues.map(({ field }) => field))
    yield {
      ...mapped,
      line,
      record: withRefund({ ...mapped.record, products: lines }, refundOf(row, issues)),
      issues: [...issues, ...mapped.issues.filter(({ field }) => !withIssues.has(field))],
      leftOut: [...(mapped.leftOut ?? []), ...leftOut],
    }
  }
  function refundOf(row: SourceRow, issues: RecordIssue[]): bigint {
    try {
      return mapping.readRefund(row)
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      issues.push({ field: 'products.refunded', error: error.message })
      return 0n
    }
  }
  function begin(line: number, id: unknown, row: SourceRow, place: number): OpenOrder {
    return {
      ...{ line, place, id, row: { ...row }, sums: new Map(), differences: [], areBelow: new Map(), faulty: new Set() },
      ...{ lines: [], issues: [], leftOut: [] },
    }
  }
  function* add({ line, place: placeInFile, row, structural }: RowOfOrder) {
    const id = readId(row)
    if (hasSums && isBlank(id)) {
      if (open === undefined || isBlank(readLine(row)?.record.product_sku_id)) {
        const { record } = read(row)
        yield {
          line,
          record: { ...record, order_id: '', products: [] },
          issues: [{ field: 'order_id', error: UNNUMBERED }, ...structural],
        }
        return
      }
      // With a product it is perhaps a row of the order, which without it would be recorded with too low a total.
      addIssue(open, { field: 'order_id', column: '' }, UNNUMBERED)
    }
    if (open === undefined || !(isBlank(id) || id === open.id)) {
      yield* end()
      open = begin(line, id, row, placeInFile)
    }
    const isScattered = placeInFile > open.place + 1
    open.place = placeInFile
    for (const column of mapping.orderColumns) {
      const rows = isScattered && column.field === 'ordered_at' ? 'same' : column.rows
      joinCell(open, { ...column, rows }, row[column.column], mapping)
    }
    const product = readLine(row)
    const isBelow = isBelowZero(product?.record.qty) || isBelowZero(product?.record.amount)
    const current = open.row
    const kind = JSON.stringify(kindColumns.map((column) => (isBlank(row[column]) ? current[column] : row[column])))
    // More than an order may have lines is enough to tell.
    if (open.areBelow.size <= ORDER_LINES_MAX) open.areBelow.set(kind, isBelow && (open.areBelow.get(kind) ?? true))
    const place = open.lines.length
    // One more than an order may have is enough to be refused.
    if (product?.leftOut?.length) open.leftOut.push(...product.leftOut)
    else if (product !== undefined && place <= ORDER_LINES_MAX) {
      open.lines.push(product.record)
      for (const { field, error } of product.issues)
        open.issues.push({ field: field?.replace('products.', `products[${place}].`), error })
    }
    open.issues.push(...structural)
  }
  return { add, end }
}

/** The order with all of its refund. What its lines do not say, such as a refund of shipping or its tax, reduces the order instead. */
function withRefund(order: SourceRow & Readonly<{ products: unknown[] }>, refund: bigint): SourceRow {
  if (refund === 0n) return order
  const lines = order.products as readonly SourceRow[]
  const [total, discount] = [amountIn(order.total_amount), amountIn(order.discount)]
  const { products, rest } = lines.some(({ refunded }) => refunded !== undefined)
    ? { products: lines, rest: refundBesideLines(lines, { total, discount }, refund) }
    : spreadRefund(lines, refund)
  return rest === 0n ? { ...order, products } : { ...order, products, discount: amountText(discount + rest) }
}

/** The lines with a refund spread over them, in proportion to their amounts, and what exceeds them. */
function spreadRefund(lines: readonly SourceRow[], refund: bigint) {
  const amounts = lines.map(({ amount }) => amountIn(amount))
  const all = sumAmounts(amounts)
  const spread = refund < all ? refund : all
  const upTo = (sum: bigint) => (all === 0n ? 0n : (spread * sum) / all)
  let sum = 0n
  const products = lines.map((line, index) => {
    const refunded = upTo(sum + amounts[index]!) - upTo(sum)
    sum += amounts[index]!
    return refunded === 0n ? line : { ...line, refunded: amountText(refunded) }
  })
  return { products, rest: refund - spread }
}

/**
 * The part of a refund that lines with refunds of their own do not say. Units are refunded at what was paid for them, which is less once the discount is
 * raised by that part. Rounded to cents, or to whole numbers where the order has only those, as its program may allow no more.
 */
function refundBesideLines(
  lines: readonly SourceRow[],
  { total, discount }: Readonly<{ total: bigint; discount: bigint }>,
  refund: bigint,
): bigint {
  const paid = computeNet({ total, discount })
  const ordered = sumAmounts(lines.map(({ amount }) => amountIn(amount)))
  let [inMoney, inUnits] = [0n, 0n]
  for (const { refunded, amount, qty } of lines)
    if (typeof refunded !== 'object' || refunded === null) inMoney += amountIn(refunded)
    else {
      const divisor = ordered * amountIn(qty ?? '1')
      if (divisor > 0n) inUnits += (paid * amountIn(amount) * amountIn((refunded as SourceRow).qty)) / divisor
    }
  const rest = refund - inMoney - inUnits
  if (rest <= 0n || inUnits >= paid) return 0n
  const isWhole = [total, discount, refund].every((amount) => amount % AMOUNT_SCALE === 0n)
  const unit = isWhole ? AMOUNT_SCALE : AMOUNT_SCALE / 100n
  return roundTo({ num: rest * paid, den: (paid - inUnits) * unit }, 'half-up') * unit
}

/** An amount of a record; 0 where it has none, or an invalid one, for which it will be refused. */
function amountIn(value: unknown): bigint {
  return parseAmount(String(value ?? '0')) ?? 0n
}

/**
 * What the rows add up to, by `sumCell`. Discounts below 0 are discounts, unless goods came back with the order: then they may as well be discounts
 * that are taken back, which is an issue.
 */
function totalsOf(order: OpenOrder, columns: readonly OrderColumn[]): Readonly<Record<string, string>> {
  const sums = [...order.sums.values()]
  const isMixed = order.leftOut.length > 0 || sums.some(({ above, below }) => above > 0n && below < 0n)
  const totals = columns.flatMap((how) => {
    const sum = how.rows === 'sum' ? order.sums.get(how.column) : undefined
    if (sum === undefined) return []
    const total = sum.above + sum.below
    const isReduction = how.isReduction && total < 0n
    if (isReduction && isMixed) addIssue(order, how, `${UNCLEAR_DISCOUNT}, got ${shown(amountText(total))}`)
    return [[sumCell(how.column), amountText(isReduction && !isMixed ? -total : total)] as const]
  })
  return Object.fromEntries(totals)
}

/** Adds a cell of a row to those of its order. An empty one says nothing. */
function joinCell(order: OpenOrder, how: OrderColumn, cell: unknown, { readAmount }: RecordMapping): void {
  const { column, rows } = how
  if (isBlank(cell)) return
  if (rows === 'sum') {
    try {
      const [{ above, below }, amount] = [order.sums.get(column) ?? NO_SUM, readAmount(cell)!]
      order.sums.set(column, amount < 0n ? { above, below: below + amount } : { above: above + amount, below })
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      addIssue(order, how, error.message)
    }
    return
  }
  const current = order.row[column]
  if (isBlank(current)) order.row[column] = cell
  else if (rows === 'same' && cellText(current) !== cellText(cell) && !order.faulty.has(column)) {
    order.faulty.add(column)
    order.differences.push({ how, cells: [cellText(current), cellText(cell)] })
  }
}

/** Issues of the columns in which rows differ, once all rows are known: those of a return may come first. */
function differenceIssues(order: OpenOrder, mapping: RecordMapping): readonly RecordIssue[] {
  return order.differences.map(({ how, cells: [one, other] }) => {
    const remedy = remedyFor(how, order, mapping)
    const hint = remedy === '' ? '' : ` (${remedy})`
    const error = `expected the same ${shown(how.column)} in every row of the order${hint}, got ${shown(one)} and ${shown(other)}`
    return { field: how.field, error }
  })
}

function remedyFor(
  { field, column, canBeSum }: OrderColumn,
  { areBelow, differences }: OpenOrder,
  { sameIdHints }: RecordMapping,
): string {
  if (canBeSum) return `${rowsOption(field, 'sum', column)} adds them up`
  // Goods that were sold twice under a number are of two orders, also if some came back.
  const sold = [...areBelow.values()].filter((isBelow) => !isBelow)
  if (sold.length === 1 && areBelow.size > 1)
    return field === 'ordered_at' || field === 'status' ? sameIdHints.return : ''
  // Where a row is of a return by its status, the number did not start again.
  return field === 'ordered_at' && !differences.some(({ how }) => how.field === 'status') ? sameIdHints.restart : ''
}

function addIssue(order: OpenOrder, { field, column }: Pick<OrderColumn, 'field' | 'column'>, error: string): void {
  if (order.faulty.has(column)) return
  order.faulty.add(column)
  order.issues.push({ field, error })
}

/** JSON may have lists and objects in a row. */
function cellText(cell: unknown): string {
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell).trim()
}
