/** As in page-formats.ts of the service: also after what begins a cell or a row for a spreadsheet that takes another separator than the comma. */
const FORMULA = /(^[\s",]*|[;|\t\r\n][\s"]*)([=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** RFC 4180. What a spreadsheet would take for a formula gets a `'` before it. */
export function csvOf(rows: readonly (readonly (string | number | null | undefined)[])[]): string {
  return rows.map((row) => `${row.map((value, place) => cell(value, place === 0)).join(',')}\r\n`).join('')
}

function cell(value: string | number | null | undefined, isFirst: boolean): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  // At the beginning of a row, what follows may belong to it: with a decimal comma, `-1,5+1` is a formula.
  const isNumber = typeof value === 'number' || (!isFirst && /^-?\d+(\.\d+)?$/.test(text))
  const unmarked = isNumber ? text : text.replace(FORMULA, "$1'$2")
  const harmless = /^[\t\r\n]/.test(unmarked) ? `'${unmarked}` : unmarked
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Downloads a text as a file. */
export function download(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
