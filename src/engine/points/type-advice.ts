/*
 * What to write where a condition compares or calls what does not fit.
 */
import { nearestName } from '../../text.ts'
import { JOINS } from './syntax-advice.ts'

const TYPE_WORDS: Readonly<Record<string, string>> = {
  decimal: 'a number',
  double: 'a number',
  int: 'a whole number',
  uint: 'a whole number',
  string: 'a text',
  bool: 'true or false',
  null: 'null',
  list: 'a list',
  'google.protobuf.Timestamp': 'a time',
  Order: 'order',
  Player: 'player',
  Line: 'line',
  Lines: 'lines',
  OrderAttributes: 'order.attributes',
  PlayerAttributes: 'player.attributes',
  LineAttributes: 'line.attributes',
}

/** A type of CEL in words. */
export function typeWords(type: string): string {
  return TYPE_WORDS[type] ?? (/^list</.test(type) ? 'a list' : type)
}

const isNumber = (type: string) => ['decimal', 'double', 'int', 'uint'].includes(type)
const isList = (type: string) => /^list\b/.test(type)

/** Returns why an operator cannot take two types, as the library reports it: `decimal >= string`. `source` is the part of the condition. */
export function operatorAdvice(overload: string, source: string): string {
  const [, left, operator, right] = /^(\S+) (==|!=|<=|>=|<|>|in|\+|-|\*|\/|%) (\S+)$/.exec(overload) ?? []
  if (left === undefined || operator === undefined || right === undefined) return `it cannot compute ${overload}`
  const advice = adviceOn(left, operator, right, source)
  const isComparison = /[=<>]/.test(operator)
  const what = isComparison
    ? `${operator} cannot compare ${typeWords(left)} with ${typeWords(right)}`
    : `${operator} does not take ${typeWords(left)} and ${typeWords(right)}`
  return advice === undefined ? what : `${what}: ${advice}`
}

function adviceOn(left: string, operator: string, right: string, source: string): string | undefined {
  const types = [left, right]
  if (types.includes('null')) return 'nothing is null; a missing text is "", a missing number 0'
  if (operator === 'in') return isList(right) ? undefined : 'write a list behind in, like ["Silver", "Gold"]'
  if (types.some(isList) && types.includes('string')) return 'write "vip" in the list'
  if (types.includes('google.protobuf.Timestamp'))
    return 'compare days by order.date >= "2026-11-27", times by timestamp("2026-11-27T00:00:00Z")'
  if (types.includes('bool') && types.includes('string')) return 'write the name alone, or ! before it'
  if (types.includes('bool') && types.some(isNumber))
    return 'join two comparisons with &&, like order.net > 5 && order.net < 10'
  const day = /\b\d{4}-\d{2}-\d{2}\b/.exec(source)?.[0]
  if (day !== undefined && types.includes('string')) return `put the date in quotes, "${day}"`
  if (!types.includes('string') || !types.some(isNumber)) return undefined
  const inQuotes = /(["'])(-?\d+(?:\.\d+)?)\1/.exec(source)?.[2]
  if (inQuotes !== undefined) return `write ${inQuotes} without quotes`
  const bare = /(?<![\w.])\d+(?:\.\d+)?/.exec(source)?.[0]
  return bare === undefined ? undefined : `put the text in quotes, "${bare}"`
}

const FUNCTIONS = {
  string: ['startsWith', 'endsWith', 'contains', 'size'],
  list: ['size', 'exists', 'exists_one', 'all', 'filter', 'map'],
  'google.protobuf.Timestamp': [
    'getFullYear',
    'getMonth',
    'getDate',
    'getDayOfMonth',
    'getDayOfWeek',
    'getDayOfYear',
    'getHours',
    'getMinutes',
    'getSeconds',
  ],
  Player: ['group'],
  alone: ['size', 'timestamp', 'int', 'double', 'string'],
} as const

/** What other languages call functions of CEL. */
const OTHER_FUNCTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    count: 'size',
    length: 'size',
    len: 'size',
    includes: 'contains',
    some: 'exists',
    every: 'all',
    getDay: 'getDayOfWeek',
    getYear: 'getFullYear',
  }),
)

/** Returns what is wrong with a call, as the library reports it: `string.startswith(string)`, or `sum(decimal)`. `source` is the part of the condition. */
export function callAdvice(call: string, source: string): string {
  const [, receiver, name = call, given = ''] = /^(?:(\S+)\.)?(\w+)\((.*)\)$/.exec(call) ?? []
  const type = receiver === undefined ? 'alone' : isList(receiver) ? 'list' : receiver
  const [, list, text] = /^(.*?)\s*\.\s*(?:contains|includes)\s*\((.*)\)$/.exec(source) ?? []
  if (type === 'list' && list !== undefined) return `a list has no ${name}: write ${text} in ${list}`
  const operator = JOINS.get(name.toLowerCase())
  if (type === 'alone' && operator !== undefined) return `write ${operator} instead of ${name}`
  const methods: readonly string[] = FUNCTIONS.string
  const asMethod = nearestName(name, methods)
  if (type === 'alone' && asMethod !== undefined && asMethod !== 'size')
    return `write the text first: line.sku.${asMethod}("TEA-")`
  if (/^(?:to)?(?:lower|upper)/i.test(name)) return `there is no ${name}: list the spellings, like in ["tea", "Tea"]`
  if (type === 'string' && nearestName(name, FUNCTIONS['google.protobuf.Timestamp']) !== undefined)
    return `a text has no ${name}: write order.at.${nearestName(name, FUNCTIONS['google.protobuf.Timestamp'])}()`
  const known: readonly string[] = FUNCTIONS[type as keyof typeof FUNCTIONS] ?? []
  if (known.includes(name))
    return `${name} does not take ${given.split(', ').filter(Boolean).map(typeWords).join(' and ') || 'nothing'}`
  const near = known.find((one) => one === OTHER_FUNCTIONS.get(name)) ?? nearestName(name, known)
  const hint =
    near === undefined
      ? `: ${known.length === 0 ? 'none is known here' : `known are ${known.join(', ')}`}`
      : `, did you mean ${near}?`
  return `unknown function ${name}${type === 'alone' ? '' : ` of ${typeWords(receiver!)}`}${hint}`
}
