import { shown } from '../../engine/ingest/shown.ts'
import { CUSTOMERS } from '../input/import-record.ts'

/** Why records were skipped, with an example value, as `createReasons` keeps it; `helped` counts those that an option may help. */
type SkippedFor = Readonly<{ field: string; error: string; example: string; helped: number }>

/** `dateFormat` if it was given, and the columns that a field is read from, by the wire's name. */
export type KnownOfFile = Readonly<{
  dateFormat?: string | undefined
  columnsOf?: (field: string) => readonly string[]
}>

type Hint = Readonly<{
  option: string | ((reason: SkippedFor, file: KnownOfFile) => string)
  reads: (reason: SkippedFor, file: KnownOfFile) => boolean
}>

const DATE_OPTION = '--date-format'
const DATE = /: "(?=[^"]*\d{4})(\d{4}|\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{1,2})\b/

/** What is said of a date with a month above 12, and a day up to 12. */
const SWAPPED = /^expected a date (.+) with a month up to 12$/

const SHARE = /: ("[^"]*\d\s*%")$/

const EMPTY = /: ""$/

/** How a service says that it expected a number; earlier ones wrote "a number from 0". */
const NUMBER = /^expected a (?:non-negative )?number/
const FROM_ZERO = /^expected a (?:non-negative number|number (?:between|from) 0)/

const HINTS: readonly Hint[] = [
  {
    option: ({ example }) => `${DATE_OPTION} with the format of the dates, such as ${detectFormat(example)}`,
    // A date that does not exist was written as expected.
    reads: ({ error, example }, { dateFormat }) =>
      dateFormat === undefined &&
      /^expected a (?:date DD|timestamp like|moment like)/.test(error) &&
      !/ that exists$/.test(error) &&
      DATE.test(example),
  },
  {
    option: ({ error }) =>
      `${DATE_OPTION} ${swapped(SWAPPED.exec(error)![1]!)}: day and month have probably changed places, also in the dates that were read`,
    reads: ({ error }) => SWAPPED.test(error),
  },
  {
    option: '--decimal comma',
    reads: ({ error, example }) => FROM_ZERO.test(error) && /: "[^"]*\d,\d+[^"\d]*"$/.test(example),
  },
  {
    option:
      'amounts with at most one currency, and one minus or brackets around them, like 30.33 USD, -$19.95 or ($19.95)',
    reads: ({ error, example }) =>
      NUMBER.test(error) && /: "[^"%]*\d[^"%]*"$/.test(example) && !/: "-?[\d.,]*[^"\d.,]*"$/.test(example),
  },
  {
    option: otherColumnText,
    reads: ({ error, example }) => NUMBER.test(error) && SHARE.test(example),
  },
  {
    option: 'each return as a new state of the order that it belongs to (docs/import.md, "Returns")',
    reads: (reason) => reason.field === 'total_amount' && isNegative(reason),
  },
  {
    option: '--leave-out products, where the total of an order is less what came back with it',
    reads: (reason) => reason.field.startsWith('products[') && isNegative(reason),
  },
  {
    option: '--default Country=... with the country, if all players live in one',
    reads: (reason) => reason.field === 'Country' && isMissing(reason),
  },
  {
    option: ({ field }) => `--ignore-without ${field}, if orders without a customer are not to count here`,
    reads: (reason) => CUSTOMERS.includes(reason.field) && isMissing(reason),
  },
  {
    option: '--default discount=0, if no discount is an empty cell',
    reads: (reason) => reason.field === 'discount' && isMissing(reason),
  },
  {
    option: '--values Gender=WORD:female,WORD:male with the words of the file',
    // A letter or two stand for a word, which only the shop knows: M can be male, Mujer or Mevrouw.
    reads: ({ field, error, example }) =>
      field === 'Gender' && error.startsWith('expected') && /: "\p{L}{1,2}"$/u.test(example),
  },
  {
    option: '--values status=WORD:placed with each word of the file',
    reads: ({ field, error }) => field === 'status' && error.startsWith('expected placed'),
  },
]

/** What may help to read records skipped for these reasons (docs/import.md): mostly options of `import`, first the one that helps most. */
export function readingHints(reasons: readonly SkippedFor[], file: KnownOfFile): readonly string[] {
  const hints = HINTS.flatMap(({ option, reads }) => {
    const read = reasons.filter((reason) => reason.helped > 0 && reads(reason, file))
    const [first] = read
    if (first === undefined) return []
    const helped = read.reduce((sum, reason) => sum + reason.helped, 0)
    return [{ helped, option: typeof option === 'string' ? option : option(first, file) }]
  })
  return hints.sort((a, b) => b.helped - a.helped).map(({ option }) => option)
}

/** A share is no amount of money, and the command does not multiply it by one. */
function otherColumnText({ field, example }: SkippedFor, { columnsOf = (name) => [name] }: KnownOfFile): string {
  const target = field.replace('[]', '')
  const columns = columnsOf(target).map((column) => shown(column))
  const share = SHARE.exec(example)?.[1]
  const paid = target === 'discount' ? ', or instead --default discount=0 if total_amount is what was paid' : ''
  return `another column for ${target} than ${columns.join(' or ')}, which has shares such as ${share}: --map ${target}=... with one that has amounts${paid}`
}

function isNegative({ error, example }: SkippedFor): boolean {
  return NUMBER.test(error) && /: "-\d/.test(example)
}

/** Whether the cell is empty, or there is no such column. */
function isMissing({ error, example }: SkippedFor): boolean {
  return EMPTY.test(example) || error.endsWith('is required')
}

function swapped(format: string): string {
  return format.replace(/[DM]/g, (letter) => (letter === 'D' ? 'M' : 'D'))
}

/** The format of the date in an example; a number above 12 tells the day from the month, which otherwise is taken to be the second. */
function detectFormat(example: string): string {
  const [, one = '', separator = '', two = '', three = ''] = DATE.exec(example) ?? []
  const parts = one.length === 4 ? ['Y', 'M', 'D'] : Number(two) > 12 ? ['M', 'D', 'Y'] : ['D', 'M', 'Y']
  const digits = [one, two, three].some(({ length }) => length === 1) ? 1 : 2
  return parts.map((part) => part.repeat(part === 'Y' ? 4 : digits)).join(separator)
}
