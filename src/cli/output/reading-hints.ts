/** Why records were skipped, with a value for which they were, as `createReasons` keeps it. */
type SkippedFor = Readonly<{ field: string; error: string; example: string }>

type Hint = Readonly<{ option: string; reads: (reason: SkippedFor) => boolean }>

const HINTS: readonly Hint[] = [
  {
    option: '--date-format with how the dates are written, such as DD.MM.YYYY',
    reads: ({ error, example }) =>
      /^expected a (?:date DD|moment like)/.test(error) && /: "\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b/.test(example),
  },
  {
    option: '--decimal comma',
    reads: ({ error, example }) => /^expected a number from 0/.test(error) && /: "[^"]*\d,\d+[^"\d]*"$/.test(example),
  },
  {
    option: '--values status=WORD:placed with each word of the file',
    reads: ({ field, error }) => field === 'status' && error.startsWith('expected placed'),
  },
]

/** Options of `import` with which records may be read that were skipped for these reasons (docs/import.md). */
export function readingHints(reasons: readonly SkippedFor[]): readonly string[] {
  return HINTS.filter(({ reads }) => reasons.some(reads)).map(({ option }) => option)
}
