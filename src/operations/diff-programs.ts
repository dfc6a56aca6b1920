/** A program by its name, and its text. */
export type DiffSide = Readonly<{ label: string; text: string }>

/**
 * What changes from one text to another, as a unified diff; empty where nothing does. Undefined where it would take longer than `timeoutMs`:
 * two large texts without anything in common take the square of their size.
 */
export async function diffPrograms(before: DiffSide, after: DiffSide, timeoutMs: number): Promise<string | undefined> {
  if (before.text === after.text) return ''
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff')
  return createTwoFilesPatch(before.label, after.label, before.text, after.text, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    timeout: timeoutMs,
  })
}
