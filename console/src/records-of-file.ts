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
  let [cells, cell, line, begins]: [string[], string, number, number] = [[], '', 1, 1]
  let isQuoted = false
  const endRow = () => {
    if (cells.length > 0 || cell !== '') rows.push({ cells: [...cells, cell], line: begins })
    ;[cells, cell] = [[], '']
  }
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place]!
    if (character === '\n') line += 1
    if (isQuoted && character === '"' && text[place + 1] === '"') {
      cell += '"'
      place += 1
    } else if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) cell += character
    else if (character === ',') {
      cells.push(cell)
      cell = ''
    } else if (character === '\n') {
      endRow()
      begins = line
    } else if (character !== '\r') cell += character
  }
  if (isQuoted) throw new Error(`the quote that opens on line ${begins} is never closed`)
  endRow()
  return rows
}
