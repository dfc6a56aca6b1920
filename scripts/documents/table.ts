/** Rows as a table of Markdown, the head first. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => ` ${cell.replaceAll('|', '\\|')} `).join('|')}|`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

export function asCode(text: string): string {
  return `\`${text}\``
}
