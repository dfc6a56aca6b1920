/** One side of a diff: a program's label and its text. */
export type DiffSide = Readonly<{ label: string; text: string }>

/**
 * A unified diff of two texts; empty if they are equal. Undefined if it would take longer than `timeoutMs`: for large texts with nothing in
 * common the time is quadratic in their size.
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
