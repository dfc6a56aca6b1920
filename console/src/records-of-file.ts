/** A record as the API takes it, and the line of the file where it begins. */
export type FileRecord = Readonly<{ record: unknown; line: number }>

/** Records of a JSON list, of lines of JSON, or of a CSV with names in its first line. Errors name the line. */
export function readRecords(text: string): FileRecord[] {
  const trimmed = text.replace(/^\ufeff/, '')
  if (trimmed.trim() === '') throw new Error('the file is empty')
  if (trimmed.trimStart().startsWith('[')) return fromList(trimmed)
  return trimmed.trimStart().startsWith('{') ? fromLines(trimmed) : fromCsv(trimmed)
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
  const names = head!.cells.map((cell) => cell.trim())
  return rows.map(({ cells, line }) => {
    if (cells.length !== names.length)
      throw new Error(`line ${line} has ${cells.length} cells, the first line has ${names.length}`)
    return { record: Object.fromEntries(names.map((name, index) => [name, cells[index]])), line }
  })
}

type Row = Readonly<{ cells: string[]; line: number }>

/** RFC 4180: cells in quotes may contain commas, line breaks and doubled quotes. */
function csvRows(text: string): Row[] {
  const rows: Row[] = []
  let [cells, cell, line, begins, opened]: [string[], string, number, number, number] = [[], '', 1, 1, 0]
  let state: 'plain' | 'quoted' | 'closed' = 'plain'
  const endCell = () => {
    cells.push(cell)
    cell = ''
    state = 'plain'
  }
  const endRow = () => {
    if (cells.length > 0 || cell !== '') {
      endCell()
      rows.push({ cells, line: begins })
    }
    ;[cells, state] = [[], 'plain']
  }
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place]!
    if (character === '\n') line += 1
    if (state === 'quoted') {
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
    else if (state === 'closed')
      throw new Error(`line ${line} has "${character}" after a cell in quotes: a quote inside a cell is written twice`)
    else if (character !== '"') cell += character
    else if (cell === '') [state, opened] = ['quoted', line]
    else
      throw new Error(
        `line ${line} has a quote inside a cell: put the whole cell in quotes, and write the quote inside it twice`,
      )
  }
  if (state === 'quoted') throw new Error(`the quote that opens on line ${opened} is never closed`)
  endRow()
  return rows
}
