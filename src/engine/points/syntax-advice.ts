/*
 * What to write where a condition is not CEL: its authors know SQL, spreadsheets or other languages.
 */

/** Where the syntax of a condition goes wrong: what stands there, what stands before it, and the code of the library's error. */
type Place = Readonly<{ code: string; summary: string; before: string; rest: string }>

/** Words that other languages have for operators. */
export const JOINS: ReadonlyMap<string, string> = new Map(Object.entries({ and: '&&', or: '||', not: '!' }))

/** Returns what is wrong at a place where the syntax ends; `summary` is the library's own sentence. */
export function syntaxAdvice(source: string, at: number, { code, summary }: Pick<Place, 'code' | 'summary'>): string {
  const place = { code, summary, before: source.slice(0, at).trimEnd(), rest: source.slice(at).trimStart() }
  for (const advise of ADVICE) {
    const advice = advise(place)
    if (advice !== undefined) return advice
  }
  return summary.replace(/^./, (letter) => letter.toLowerCase())
}

/** The first that has something to say does. */
const ADVICE: readonly ((place: Place) => string | undefined)[] = [
  ({ code }) => (code === 'limit_exceeded' ? 'it is too long: at most 200 syntax nodes' : undefined),
  ({ code, rest }) =>
    code === 'unterminated_string'
      ? `the text that begins at ${rest[0]} has no closing quote; if it contains " #", YAML took the rest for a comment: put the whole condition in quotes`
      : undefined,
  ({ code, rest }) => {
    if (code !== 'reserved_identifier') return undefined
    return isWord(rest, 'if')
      ? 'a condition has no if: write only what has to be true, and a rule of its own for the other case'
      : `${wordOf(rest)} is a reserved word of CEL: put texts in quotes, "${wordOf(rest)}"`
  },
  ({ rest }) =>
    isWord(rest, 'else|then') ? 'there is no else: write a rule of its own for the other case' : undefined,
  joinAdvice,
  ({ before, rest }) => {
    if (!rest.startsWith('=')) return undefined
    if (rest.startsWith('=>'))
      return /\(\s*\w+$/.test(before) ? 'write a comma instead of =>' : 'write >= instead of =>'
    const written = /[=!]=$/.exec(before)?.[0] ?? ''
    return `write ${written || '=='} instead of ${written}=`
  },
  ({ before, rest }) => (before.endsWith('<') && rest.startsWith('>') ? 'write != instead of <>' : undefined),
  ({ rest }) => (/^[“”„‘’«»]/.test(rest) ? `write straight quotes, " or ', instead of ${rest[0]}` : undefined),
  ({ before, rest }) =>
    rest.startsWith(',') && /\bin\s*\([^()]*$/.test(before)
      ? 'a list is in square brackets: in ["Silver", "Gold"]'
      : undefined,
  missingAdvice,
  thousandsAdvice,
  ({ before, rest }) => {
    if (/\d$/.test(before) && /^,\d/.test(rest)) return 'write a point instead of the comma: 99.50'
    const decimals = /\w$/.test(before) ? undefined : /^\.\d+/.exec(rest)?.[0]
    if (decimals !== undefined) return `write 0${decimals} instead of ${decimals}`
    if (/\d$/.test(before) && /^_/.test(rest)) return 'write the number without _'
    if (/%/.test(before.slice(-1)) || rest.startsWith('%')) return 'numbers have no %: write 0.05 for 5 %'
    if (/^[€$£¥]/.test(rest) || (/\d$/.test(before) && /^\p{L}/u.test(rest)))
      return 'write the number alone, without a unit or currency'
    return undefined
  },
  ({ before, rest }) => {
    if (rest.startsWith(')')) return 'this ) closes nothing'
    if (rest !== '') return undefined
    return unclosed(before) ?? `it ends too early: something is missing after ${lastToken(before)}`
  },
  ({ before, rest }) =>
    wordOf(rest) !== '' && endsOperand(before)
      ? `unexpected ${wordOf(rest)}: an operator is missing before it, like >= or &&`
      : undefined,
]

function joinAdvice({ before, rest }: Place): string | undefined {
  // An operand that is not expected follows a word that was taken for a name: `not player.known`.
  const word = [wordOf(rest), lastWord(before)].find((one) => JOINS.has(one.toLowerCase()))
  if (word !== undefined) return `write ${JOINS.get(word.toLowerCase())} instead of ${word}`
  if (rest.startsWith('&')) return 'write && instead of &'
  if (rest.startsWith('|')) return 'write || instead of |'
  if (isWord(rest, 'like')) return 'there is no like: write line.sku.startsWith("TEA-"), endsWith or contains'
  if (isWord(rest, 'is')) return 'write == instead of is'
  if (isWord(rest, 'between')) return 'there is no between: write order.net >= 20 && order.net <= 50'
  if (isWord(rest, 'contains|startsWith|endsWith'))
    return `write ${wordOf(rest)} behind a point: line.sku.${wordOf(rest)}("TEA-")`
  if (rest.startsWith(';')) return 'write && instead of ;'
  return undefined
}

/** An operand that follows another one: in a list a comma is missing, elsewhere the field of another comparison shows that they are not joined. */
function missingAdvice({ before, rest }: Place): string | undefined {
  if (!endsOperand(before)) return undefined
  if (openBracket(before) === '[' && /^[\w"']/.test(rest)) return `a comma is missing after ${lastToken(before)}`
  const field = /^\w+(?:\s*\.\s*\w+)+/.exec(rest)?.[0]
  const isJoined =
    field !== undefined && /^[a-z_]/i.test(field) && !/(?<![\w.])(?!true$|false$)[a-z_]\w*$/i.test(before)
  return isJoined ? `&& is missing before ${field}` : undefined
}

/** Read as a decimal point, the comma of 1,000 would make it 1. */
function thousandsAdvice({ before, rest }: Place): string | undefined {
  const first = /(?<![\w.,])[1-9]\d{0,2}$/.exec(before)?.[0]
  const others = /^,?\s*\d{3}(?:[,\s]\s*\d{3})*(?!\d)(?:\.\d+)?/.exec(rest)?.[0]
  if (first === undefined || others === undefined) return undefined
  return `write ${first}${others.replace(/[,\s]/g, '')}, without separators`
}

function endsOperand(text: string): boolean {
  return /[\w"')\]]$/.test(text)
}

function unclosed(text: string): string | undefined {
  const open = openBracket(text)
  return open === undefined || /[&|<>=!+\-*/,(]$/.test(text) ? undefined : `${open} is not closed`
}

/** The innermost bracket that a text opens and does not close. */
function openBracket(text: string): string | undefined {
  const open: string[] = []
  for (const [token] of text.matchAll(/"[^"]*"|'[^']*'|[()[\]]/g)) {
    if (token === '(' || token === '[') open.push(token)
    else if (token === ')' || token === ']') open.pop()
  }
  return open.at(-1)
}

function isWord(text: string, words: string): boolean {
  return new RegExp(`^(?:${words})\\b`, 'i').test(text)
}

function wordOf(text: string): string {
  return /^[\p{L}\p{N}_]+/u.exec(text)?.[0] ?? ''
}

function lastWord(text: string): string {
  return /\w+$/.exec(text)?.[0] ?? ''
}

function lastToken(text: string): string {
  return /(?:"[^"]*"|'[^']*'|\w+|[^\w\s]+)$/.exec(text)?.[0] ?? 'its beginning'
}
