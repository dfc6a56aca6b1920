/*
 * What `laurel init` asks about a shop, and how an answer is read: the same for an option and for a terminal.
 */
import { createInterface } from 'node:readline/promises'
import { shown } from '../../engine/ingest/shown.ts'
import { isCurrency } from '../../engine/points/currency.ts'
import { isTimeZone } from '../../engine/points/local-time.ts'
import { OperatorError } from '../../errors.ts'
import { noteLine } from '../output/print.ts'
import { findNearestName } from './column-suggestions.ts'
import { nearestZoneHint } from './nearest-time-zone.ts'

type AnsweredLevel = Readonly<{ name: string; from: number }>

/** A shop in the words of its owner. `points` are earned for every full `every` of an order's amount. */
export type ShopAnswers = Readonly<{
  currency: string
  decimals: number
  countries: readonly string[]
  timeZone: string
  points: number
  every: number
  levels: readonly AnsweredLevel[]
}>

type Question<T> = Readonly<{
  text: string
  fallback: string
  expected: string
  /** The answer; undefined if it is invalid. */
  read: (text: string) => T | undefined
  /** What is wrong with an invalid answer, and what may be meant, to be added to what is expected. */
  hint?: (text: string) => string
}>

const WHOLE_MAX = 1_000_000
const LEVELS_MAX = 20

const whole = (text: string, from: number, to: number): number | undefined =>
  /^\d{1,9}$/.test(text) && Number(text) >= from && Number(text) <= to ? Number(text) : undefined

export const SHOP_QUESTIONS: { readonly [Name in keyof ShopAnswers]: Question<ShopAnswers[Name]> } = {
  currency: {
    text: 'Which currency are your prices in?',
    fallback: 'EUR',
    expected: 'a currency like EUR, GBP or INR',
    read: (text) => {
      const code = text.toUpperCase()
      return isCurrency(code) ? code : undefined
    },
  },
  decimals: {
    text: 'How many decimal places do they have?',
    fallback: '2',
    expected: 'an integer between 0 and 4',
    read: (text) => whole(text, 0, 4),
  },
  countries: {
    text: 'Which countries are your customers from?',
    fallback: 'Germany,United Kingdom',
    expected: 'comma-separated names or codes of countries, like Germany,GB',
    read: (text) => {
      const names = namesIn(text)
      return names.every(isCountry) ? names : undefined
    },
    hint: (text) => {
      const unknown = new Set(namesIn(text).filter((name) => !isCountry(name)))
      return `; unknown: ${[...unknown].map(withNearestCountry).join(', ')}`
    },
  },
  timeZone: {
    text: 'Which time zone is your shop in?',
    fallback: Intl.DateTimeFormat().resolvedOptions().timeZone,
    expected: 'a time zone like Europe/Berlin',
    read: (text) => (isTimeZone(text) ? text : undefined),
    hint: nearestZoneHint,
  },
  points: {
    text: 'How many points does each step earn?',
    fallback: '1',
    expected: `an integer between 1 and ${WHOLE_MAX}`,
    read: (text) => whole(text, 1, WHOLE_MAX),
  },
  every: {
    text: 'How much must be spent per step?',
    fallback: '10',
    expected: `an integer between 1 and ${WHOLE_MAX}`,
    read: (text) => whole(text, 1, WHOLE_MAX),
  },
  levels: {
    text: 'Which levels are there, and from how many points?',
    fallback: 'Bronze:0,Silver:500,Gold:2000',
    expected: 'levels like Bronze:0,Silver:500, the first from 0 and each higher than the previous one',
    read: readLevels,
  },
}

const QUESTIONS = Object.entries(SHOP_QUESTIONS) as [keyof ShopAnswers, Question<unknown>][]

/** Countries are stored as the shop writes them, in its own language. */
const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'nl',
  'pt',
  'pl',
  'cs',
  'da',
  'sv',
  'nb',
  'fi',
  'hu',
  'ro',
  'el',
  'tr',
  'hi',
  'ja',
  'zh',
]
/** What people write although it is neither a code nor a name of the standard. */
const USUAL_COUNTRIES = ['USA', 'UK', 'UAE', 'England', 'Scotland', 'Wales', 'Northern Ireland']

const namesIn = (text: string) => text.split(',').map((name) => name.trim())

let countries: ReadonlyMap<string, string> | undefined

/** Whether this is the code of a country, in any case, or its name in one of these languages. */
function isCountry(text: string): boolean {
  countries ??= namesOfCountries()
  return countries.has(text.toLowerCase())
}

function withNearestCountry(text: string): string {
  countries ??= namesOfCountries()
  const nearest = findNearestName(text, [...countries.values()])
  return nearest === undefined ? shown(text) : `${shown(text)} (did you mean ${nearest}?)`
}

/** Codes and names of countries as they are written, by the same in lower case. */
function namesOfCountries(): ReadonlyMap<string, string> {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const inEnglish = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const codes = letters
    .flatMap((first) => letters.map((second) => first + second))
    // ZZ is "Unknown Region", and XA and XB are for tests of software.
    .filter((code) => inEnglish.of(code) !== undefined && !/^(ZZ|X[AB])$/.test(code))
  const names = LANGUAGES.flatMap((language) => {
    const inLanguage = new Intl.DisplayNames(language, { type: 'region' })
    return codes.map((code) => inLanguage.of(code)!)
  })
  return new Map([...USUAL_COUNTRIES, ...codes, ...names].map((name) => [name.toLowerCase(), name]))
}

function readLevels(text: string): readonly AnsweredLevel[] | undefined {
  const levels = text.split(',').map((one) => /^\s*([^:]{1,60}?)\s*:\s*(\d{1,9})\s*$/.exec(one))
  if (levels.length > LEVELS_MAX || !levels.every((match) => match !== null)) return undefined
  const read = levels.map(([, name, from]) => ({ name: name!, from: Number(from) }))
  const rises = read.every(({ from }, at) => (at === 0 ? from === 0 : from > read[at - 1]!.from))
  const names = new Set(read.map(({ name }) => name))
  return rises && names.size === read.length ? read : undefined
}

/** Answers as they are typed. */
export type ShopOptions = Readonly<Partial<Record<keyof ShopAnswers, string>>>

type Terminal = ReturnType<typeof createInterface>

/** The terminal that the command was started at; undefined if there is none. */
function openTerminal(): Terminal | undefined {
  const isThere = process.stdin.isTTY === true && process.stderr.isTTY === true
  return isThere ? createInterface({ input: process.stdin, output: process.stderr }) : undefined
}

/** The answers that are given as options. Errors: OperatorError that names every invalid one. */
export function readShopOptions(options: ShopOptions): Partial<ShopAnswers> {
  const parsed = QUESTIONS.flatMap(([name, question]) => {
    const text = options[name]
    return text === undefined ? [] : [{ name, text, question, answer: question.read(text) }]
  })
  const [issue, ...more] = parsed
    .filter(({ answer }) => answer === undefined)
    .map(({ name, text, question: { expected, hint } }) => {
      return `--${name === 'timeZone' ? 'time-zone' : name} is "${text}", expected ${expected}${hint?.(text) ?? ''}`
    })
  if (more.length > 0) throw new OperatorError([`${more.length + 1} options are invalid`, issue, ...more].join('\n  '))
  if (issue !== undefined) throw new OperatorError(issue)
  return Object.fromEntries(parsed.map(({ name, answer }) => [name, answer]))
}

/**
 * Asks at the terminal for each answer that is not given, where Enter means its default: the one in `defaults`, else that of the question.
 * Without a terminal, takes the defaults. Errors: OperatorError if the terminal is closed (Ctrl-D), or for an invalid default; after an invalid
 * answer the question is asked again.
 */
export async function askAboutShop(
  answered: Partial<ShopAnswers>,
  defaults: ShopOptions,
  terminal = openTerminal(),
): Promise<ShopAnswers> {
  const open = QUESTIONS.filter(([name]) => answered[name] === undefined)
  const fallbacks = open.map(([name, { fallback }]) => [name, defaults[name] ?? fallback] as const)
  if (terminal === undefined) return { ...answered, ...readShopOptions(Object.fromEntries(fallbacks)) } as ShopAnswers
  const closed = new AbortController()
  terminal.once('close', () => closed.abort())
  const answers: Record<string, unknown> = { ...answered }
  try {
    for (const [name, fallback] of fallbacks)
      answers[name] = await answerTo(SHOP_QUESTIONS[name], fallback, terminal, closed.signal)
  } catch (error) {
    if (!closed.signal.aborted) throw error
    throw new OperatorError('the questions were not all answered: nothing was changed')
  } finally {
    terminal.close()
  }
  return answers as ShopAnswers
}

async function answerTo(
  { text, expected, read, hint }: Question<unknown>,
  fallback: string,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<unknown> {
  for (;;) {
    const input = (await terminal.question(`${text} [${fallback}] `, { signal: closed })).trim()
    const answer = read(input === '' ? fallback : input)
    if (answer !== undefined) return answer
    noteLine`Expected ${expected}${hint?.(input) ?? ''}`
  }
}
