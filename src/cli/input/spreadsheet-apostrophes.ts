const APOSTROPHE = 39

/**
 * Takes away the apostrophe that keeps a spreadsheet from reading a text as a number or a formula: `'94016`, `'+1503...`. Before a letter it may belong
 * to a name, such as 't Hooft: only the field tells then (record-mapping.ts). An id keeps it before a digit, as ids that are recorded have it.
 */
export function stripApostrophes(record: Record<string, string>, ofIds: readonly string[]): void {
  for (const [column, cell] of Object.entries(record)) {
    if (cell.charCodeAt(0) !== APOSTROPHE) continue
    const isMark = ofIds.includes(column) ? /^'[-+=@]/ : /^'[-+=@\d]/
    if (isMark.test(cell)) record[column] = cell.slice(1)
  }
}
