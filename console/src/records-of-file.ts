/** A record as the API takes it, and the line of the file where it begins. One with a fault is not sent. */
export type FileRecord = Readonly<{ record: unknown; line: number; fault?: string }>

/** Records of a JSON list, of lines of JSON, or of a CSV with names in its first line. Errors name the line. */
export function readRecords(text: string): FileRecord[] {
  const trimmed = text.replace(/^\ufeff/, '')
  if (trimmed.trim() === '') throw new Error('the file is empty')
  if (trimmed.trimStart().startsWith('[')) return fromList(trimmed)
  return trimmed.trimStart().startsWith('{') ? fromLines(trimmed) : fromCsv(trimmed)
}

/**
 * Orders, oldest first, as what an order earns may depend on those before it (decision 206): by moment, those without one last, then by id. The states
 * of an order stay together, in the sequence of their versions, else of `updated_at`; where neither decides and the states differ, each gets a fault.
 */
export function oldestFirst(orders: readonly FileRecord[]): FileRecord[] {
  // A record without an id is a group of its own.
  const idOf = ({ record }: FileRecord, index: number) => String(fieldOf(record, 'order_id') || `record ${index}`)
  const groups = [...Map.groupBy(orders, idOf).entries()]
  return groups
    .map(([id, states]) => {
      const sequence = inSequence(states)
      return { id, sequence, at: sequence.map(placedAt).find((at) => at !== undefined) ?? LAST }
    })
    .sort((a, b) => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at - b.at))
    .flatMap(({ sequence }) => sequence)
}

/**
 * Players, those of the newest orders last, as of several values the last one sent counts (decision 206): by `updated_at`, else `ordered_at`, of the record or
 * of another with its `order_id`, then by that id. Those without a time come first, in the order of the file.
 */
export function newestLast(players: readonly FileRecord[]): FileRecord[] {
  const timed = players.map((player) => ({
    player,
    order: String(fieldOf(player.record, 'order_id') ?? ''),
    at: updatedAt(player) ?? placedAt(player),
  }))
  const ofOrders = new Map<string, number>()
  for (const { order, at } of timed)
    if (order !== '' && at !== undefined) ofOrders.set(order, Math.max(at, ofOrders.get(order) ?? at))
  return timed
    .map(({ player, order, at }) => ({ player, order, at: ofOrders.get(order) ?? at }))
    .sort((a, b) => {
      if (a.at === undefined || b.at === undefined) return Number(a.at !== undefined) - Number(b.at !== undefined)
      if (a.at !== b.at || a.order === b.order) return a.at - b.at
      return a.order < b.order ? -1 : 1
    })
    .map(({ player }) => player)
}

/** Sorts after every moment. */
const LAST = Number.MAX_SAFE_INTEGER

function inSequence(states: readonly FileRecord[]): readonly FileRecord[] {
  const good = states.filter(({ fault }) => fault === undefined)
  if (new Set(good.map(contentOf)).size <= 1) return states
  const lines = good.slice(0, 3).map(({ line }) => line)
  const fault = `expected one state of the order, or state_version or updated_at in each, which say which one is the latest: they differ in lines ${lines.join(', ')}`
  const sorted = byRank(good, versionOf) ?? byRank(good, updatedAt) ?? good.map((state) => ({ ...state, fault }))
  return [...sorted, ...states.filter((state) => !good.includes(state))]
}

/** The states by a rank; undefined if one of them has none, or if two that differ have the same. */
function byRank(
  states: readonly FileRecord[],
  rankOf: (state: FileRecord) => number | undefined,
): FileRecord[] | undefined {
  const ranks = new Map(states.map((state) => [state, rankOf(state)]))
  const contents = new Map<number, string>()
  for (const [state, rank] of ranks) {
    const content = contentOf(state)
    if (rank === undefined || (contents.get(rank) ?? content) !== content) return undefined
    contents.set(rank, content)
  }
  return states.toSorted((a, b) => ranks.get(a)! - ranks.get(b)!)
}

function contentOf({ record }: FileRecord): string {
  return JSON.stringify(record, (key, value) => (key === 'updated_at' ? undefined : value))
}

function placedAt({ record }: FileRecord): number | undefined {
  return numberOr(Date.parse(String(fieldOf(record, 'ordered_at'))))
}

function updatedAt({ record }: FileRecord): number | undefined {
  return numberOr(Date.parse(String(fieldOf(record, 'updated_at'))))
}

function versionOf({ record }: FileRecord): number | undefined {
  const version = fieldOf(record, 'state_version')
  return version === undefined || version === null || version === '' ? undefined : numberOr(Number(version))
}

function numberOr(number: number): number | undefined {
  return Number.isNaN(number) ? undefined : number
}

function fieldOf(record: unknown, field: string): unknown {
  return typeof record === 'object' && record !== null ? (record as Record<string, unknown>)[field] : undefined
}

function fromList(text: string): FileRecord[] {
  try {
    return (JSON.parse(text) as unknown[]).map((record, index) => ({ record, line: index + 1 }))
  } catch (error) {
    throw new Error(`the file is not JSON: ${(error as Error).message}`)
  }
}

function fromLines(text: string): FileRecord[] {
  return text.split('\n').flatMap((content, index) => {
    if (content.trim() === '') return []
    try {
      return [{ record: JSON.parse(content), line: index + 1 }]
    } catch {
      throw new Error(`line ${index + 1} is not JSON`)
    }
  })
}

function fromCsv(text: string): FileRecord[] {
  const [head, ...rows] = csvRows(text)
  if (head!.misquoted !== undefined) throw new Error(head!.misquoted)
  const names = head!.cells.map((cell) => cell.trim())
  return rows.map(({ cells, line, misquoted }) => {
    // It may go on in the next line.
    if (misquoted !== undefined && cells.length < names.length) throw new Error(misquoted)
    const record = Object.fromEntries(names.map((name, index) => [name, cells[index]]))
    if (misquoted !== undefined) return { record, line, fault: MISQUOTED }
    const fits = cells.length >= names.length && cells.slice(names.length).every((cell) => cell.trim() === '')
    return { record, line, ...(fits ? {} : { fault: 'expected as many cells as in the first line' }) }
  })
}

/** `misquoted` says where a cell in quotes is followed by something other than a separator, in a row that seems to end with its line. */
type Row = Readonly<{ cells: string[]; line: number; misquoted?: string }>

const MISQUOTED = 'expected a separator after a cell in quotes: a quote inside such a cell is written twice'

/**
 * RFC 4180: cells in quotes may contain commas, line breaks and doubled quotes. A quote inside a cell that does not begin with one belongs to the
 * cell. Errors if nobody can tell where a row ends.
 */
function csvRows(text: string): Row[] {
  const rows: Row[] = []
  let [cells, cell, line, begins, opened]: [string[], string, number, number, number] = [[], '', 1, 1, 0]
  let state: 'plain' | 'quoted' | 'closed' = 'plain'
  let misquoted: string | undefined
  const endCell = () => {
    cells.push(cell)
    cell = ''
    state = 'plain'
  }
  const endRow = () => {
    if (cells.length > 0 || cell !== '') {
      endCell()
      rows.push({ cells, line: begins, ...(misquoted === undefined ? {} : { misquoted }) })
    }
    ;[cells, state, misquoted] = [[], 'plain', undefined]
  }
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place]!
    if (character === '\n') line += 1
    if (state === 'quoted') {
      if (character === '\n' && misquoted !== undefined) throw new Error(misquoted)
      if (character !== '"') cell += character
      else if (text[place + 1] === '"') {
        cell += '"'
        place += 1
      } else state = 'closed'
    } else if (character === ',') endCell()
    else if (character === '\n') {
      endRow()
      begins = line
    } else if (character === '\r') continue
    else if (state === 'closed') {
      const since = opened === line ? '' : ` that begins on line ${opened}`
      misquoted ??= `line ${line} has "${character}" after a cell in quotes${since}: a quote inside such a cell is written twice`
      if (opened !== line) throw new Error(misquoted)
      cell = `"${cell}"${character}`
      state = 'plain'
    } else if (character === '"' && cell === '') [state, opened] = ['quoted', line]
    else cell += character
  }
  if (state === 'quoted')
    throw new Error(
      `the quote that opens a cell on line ${opened} is never closed: close it, or, if it belongs to the cell, write the cell in quotes and that quote twice`,
    )
  endRow()
  return rows
}
