/*
 * What is wrong with a condition, where, and what to write instead.
 */
import type { ASTNode, TypeError as CelTypeError, ParseError, ParseResult } from '@marcbachmann/cel-js'
import { nearestName, plainName } from '../../text.ts'
import type { AttributeTypes } from './attributes.ts'
import { FIELDS } from './condition-fields.ts'
import {
  callOf,
  childrenOf,
  isComprehension,
  mentionsChosen,
  mentionsLine,
  nodesIn,
  someNode,
  textLiterals,
} from './condition-tree.ts'
import type { Issue } from './issue.ts'
import { isTimeZone } from './local-time.ts'
import { isGroup, issuesOfGroup } from './player-groups.ts'
import { syntaxAdvice } from './syntax-advice.ts'
import { callAdvice, operatorAdvice, typeWords } from './type-advice.ts'

/** An issue of a condition; `at` is a place in its text, from 0. */
export type ConditionIssue = Pick<Issue, 'error' | 'at' | 'see'>

/** The names that a condition may use besides fields: of levels, undefined if they are not known, and of attributes. */
type Names = Readonly<{ levels: ReadonlySet<string> | undefined; attributes?: AttributeTypes | undefined }>

const IN_SHORT = 'cel-in-short'
const ATTRIBUTES = 'attributes'

/** What is wrong with a text that is not CEL. */
export function syntaxIssue(error: ParseError, source: string): ConditionIssue {
  const at = Math.min(error.range?.start ?? 0, source.length)
  return { error: `expected a condition: ${syntaxAdvice(source, at, error)}`, at, see: IN_SHORT }
}

/** What is wrong with the types and names of a condition. */
export function typeIssues(test: ParseResult, source: string, names: Names): ConditionIssue[] {
  const { valid, type, error } = test.check()
  if (!valid) return [typeIssue(error as CelTypeError, source, names)]
  if (type === 'bool') return []
  const [literal] = textLiterals(test.ast)
  const advice =
    literal === undefined ? 'compare it, like order.net >= 100' : 'it is all in quotes: leave the outer ones out'
  return [{ error: `expected a boolean condition, got ${typeWords(type!)}: ${advice}`, at: 0, see: IN_SHORT }]
}

function typeIssue({ code, summary, range }: CelTypeError, source: string, names: Names): ConditionIssue {
  const at = range?.start ?? 0
  const part = source.slice(at, range?.end)
  const issue = (error: string, see?: string) => ({
    error: `expected a condition: ${error}`,
    at,
    ...(see === undefined ? {} : { see }),
  })
  switch (code) {
    case 'unknown_variable':
      return issue(variableAdvice(part, source, at, names))
    case 'no_such_key':
      return issue(...fieldAdvice(part, source, at, names))
    case 'no_such_overload':
      return issue(operatorAdvice(summary.replace(/^no such overload: /, ''), part), IN_SHORT)
    case 'no_matching_overload':
      return issue(callAdvice(/'(.*)'/.exec(summary)?.[1] ?? '', part), IN_SHORT)
    case 'invalid_index_type':
      return issue(
        /^(?:size|length|count)$/.test(part)
          ? `write size() instead of ${part}`
          : `a list has no ${part}: write line.${part} for each line, or exists(l, l.${part} == ...)`,
      )
    case 'invalid_logical_operand':
      return issue(
        '|| and && join conditions: write player.level in ["Silver", "Gold"], or repeat the comparison',
        IN_SHORT,
      )
    default:
      return issue(summary.replace(/^./, (letter) => letter.toLowerCase()))
  }
}

const VARIABLES = { order: 'Order', player: 'Player', line: 'Line', lines: 'Lines' } as const
type Variable = keyof typeof VARIABLES
const VARIABLE_NAMES = Object.keys(VARIABLES) as Variable[]
const fieldsOf = (variable: Variable) => Object.keys(FIELDS[VARIABLES[variable]])

/** The section of a program that declares the attributes of a variable. */
const SECTIONS: Readonly<Partial<Record<Variable, keyof AttributeTypes>>> = {
  order: 'order',
  player: 'player',
  line: 'product',
}

const OTHER_VARIABLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    customer: 'player',
    user: 'player',
    member: 'player',
    client: 'player',
    cart: 'order',
    basket: 'order',
    product: 'line',
    item: 'line',
    products: 'order.lines',
    items: 'order.lines',
    today: 'order.date',
    date: 'order.date',
    now: 'order.at',
    yes: 'true',
    no: 'false',
  }),
)

function variableAdvice(name: string, source: string, at: number, { levels, attributes }: Names): string {
  const level = [...(levels ?? [])].find((one) => one.toLowerCase() === name.toLowerCase())
  if (level !== undefined) return `${name} is not in quotes: write "${level}"`
  const [other] = /^(?:true|false)$/i.exec(name)?.map((one) => one.toLowerCase()) ?? [
    OTHER_VARIABLES.get(name.toLowerCase()),
  ]
  const places = placesOf(name, attributes)
  const isCompared = /(?:[=<>]=?|in|[([,])\s*$/.test(source.slice(0, at))
  const variable = nearestName(name, VARIABLE_NAMES)
  const hasFields = /^\s*\./.test(source.slice(at + name.length))
  const fields = places.length === 0 ? undefined : places.slice(0, 3).join(' or ')
  const near = other ?? (hasFields ? (variable ?? fields) : (fields ?? variable))
  if (near !== undefined) return `unknown name ${name}, did you mean ${near}?`
  const known = `known are ${VARIABLE_NAMES.join(', ')}`
  return isCompared ? `unknown name ${name}: put a text in quotes, "${name}"` : `unknown name ${name}: ${known}`
}

/** Where conditions have a field or a declared attribute of this name. */
function placesOf(name: string, attributes: AttributeTypes | undefined): string[] {
  return VARIABLE_NAMES.flatMap((variable) => {
    const section = SECTIONS[variable]
    const isDeclared = section !== undefined && attributes?.[section].has(name)
    return [
      ...(fieldsOf(variable).includes(name) ? [`${variable}.${name}`] : []),
      ...(isDeclared ? [`${variable}.attributes.${name}`] : []),
    ]
  })
}

/** What is wrong with a field that there is not, and the heading about it. A line goes by any name within `exists` and the like. */
function fieldAdvice(key: string, source: string, at: number, { attributes }: Names): [error: string, see?: string] {
  const [, path = ''] = /((?:\w+\s*\.\s*)*)$/.exec(source.slice(0, at)) ?? []
  const steps = path.split(/\s*\.\s*/).filter(Boolean)
  const owner = VARIABLE_NAMES.find((one) => one === steps[0]) ?? 'line'
  const written = steps.join('.')
  const places = placesOf(key, attributes)
  if (steps.at(-1) === ATTRIBUTES || key === ATTRIBUTES) {
    const section = SECTIONS[owner]
    const elsewhere = places.find((place) => place.includes(ATTRIBUTES))
    if (section === undefined) return [`${owner} has no attributes`, ATTRIBUTES]
    if (elsewhere !== undefined) return [`unknown attribute ${key} of ${owner}, did you mean ${elsewhere}?`, ATTRIBUTES]
    const declare = `declare it under attributes.${section} of the program`
    if (key === ATTRIBUTES) return [`${written}.attributes is not declared: ${declare}`, ATTRIBUTES]
    const declared = [...(attributes?.[section].keys() ?? [])]
    const near = nearestName(key, declared)
    if (near !== undefined) return [`unknown attribute ${key}, did you mean ${near}?`, ATTRIBUTES]
    return [`unknown attribute ${key}: ${declare}; declared are ${declared.join(', ') || 'none'}`, ATTRIBUTES]
  }
  const fields = [...fieldsOf(owner), ...(SECTIONS[owner] === undefined ? [] : [ATTRIBUTES])]
  const has = `; ${owner} has ${fields.join(', ')}`
  const usual = USUAL_FIELDS.get(plainName(key))?.filter((one) => fields.includes(one)) ?? []
  const near = usual.length > 0 ? usual.join(' or ') : nearestName(key, fields)
  if (near !== undefined) return [`unknown field ${key} of ${written}, did you mean ${near}?`]
  if (places.length > 0) return [`unknown field ${key} of ${written}, did you mean ${places.join(' or ')}?`]
  if (UNREAD_FIELDS[owner].includes(plainName(key)))
    return [`unknown field ${key} of ${written}: conditions cannot read it${has}`]
  const section = SECTIONS[owner]
  const attribute =
    section === undefined ? '' : `; if it is an attribute, write ${written}.attributes.${key} and declare it`
  return [`unknown field ${key} of ${written}${has}${attribute}`]
}

/** The fields that the API, and people, call otherwise: by plain name. Those that the variable has are meant. */
const USUAL_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    quantity: ['qty'],
    count: ['qty'],
    totalqty: ['qty'],
    amount: ['net'],
    sum: ['net'],
    netamount: ['net'],
    totalamount: ['total'],
    subtotal: ['total'],
    orderid: ['id'],
    createdat: ['at'],
    orderedat: ['at'],
    orderdate: ['date'],
    products: ['lines'],
    items: ['lines'],
    productskuid: ['sku'],
    productid: ['sku'],
    tier: ['level'],
    balance: ['points'],
    region: ['state'],
    birthday: ['is_birthday'],
    dob: ['age', 'is_birthday'],
    dateofbirth: ['age', 'is_birthday'],
    birthdate: ['age', 'is_birthday'],
  }),
)

/** What the API has and conditions do not, by plain name: declared as an attribute, it would always be missing. */
const UNREAD_FIELDS: Readonly<Record<Variable, readonly string[]>> = {
  order: [
    ...['name', 'email', 'phone', 'address', 'userid', 'status', 'stateversion', 'fulfilledat', 'currency'],
    ...['pointsredeemed', 'redemptionid'],
  ],
  player: [
    ...['name', 'email', 'phone', 'add', 'address', 'refercode', 'refby', 'pincode', 'userid', 'stateversion'],
    ...['rejoin', 'participates'],
  ],
  line: ['refunded'],
  lines: [],
}

/** What the syntax tree of a condition has that is not allowed, or names that is not known. */
export function treeIssues(ast: ASTNode, levels: ReadonlySet<string> | undefined): ConditionIssue[] {
  const issues: ConditionIssue[] = []
  const report = (node: ASTNode | undefined, error: string) => {
    if (node !== undefined) issues.push({ error, at: node.start })
  }
  report(
    nodesIn(ast, (node) => callOf(node) === 'matches')[0],
    'expected a condition without matches: use startsWith, endsWith, contains or ==',
  )
  report(nodesIn(ast, (node) => callOf(node) === 'bind')[0], 'expected a condition without bind: write the value out')
  for (const group of nodesIn(ast, isGroup)) for (const error of issuesOfGroup(group)) report(group, error)
  if (mentionsChosen(ast))
    report(
      nodesIn(ast, (node) => node.op !== '&&' && mentionsLine(node) && mentionsChosen(node))[0],
      'line and lines cannot be mixed: join the parts about line and those about lines with &&',
    )
  report(
    nodesIn(
      ast,
      (outer) => isComprehension(outer) && childrenOf(outer).some((child) => someNode(child, isComprehension)),
    )[0],
    'exists, all, filter and map cannot be nested',
  )
  const zones = nodesIn(ast, (node) => node.op === 'rcall' && node.args[0].startsWith('get'))
  for (const [name, node] of firstOf(zones, (node) => (node.op === 'rcall' ? node.args[2] : [])))
    if (!isTimeZone(name)) report(node, `unknown time zone "${name}", expected one like "Asia/Kolkata"`)
  for (const [name, node] of comparedWith(ast, 'gender'))
    if (!['male', 'female', ''].includes(name)) report(node, `unknown gender "${name}", expected male or female`)
  const known = [...(levels ?? [])]
  const unknown = levels === undefined ? [] : [...comparedWith(ast, 'level')].filter(([name]) => !levels.has(name))
  unknown.forEach(([name, node], index) => {
    // Only the first gets advice: a condition can name 200 wrong levels, and each would be compared with all of the ladder, or repeat it.
    const advice = index === 0 ? levelAdvice(name, known) : ''
    report(node, `unknown level "${name}"${advice}`)
  })
  return issues
}

function levelAdvice(name: string, known: readonly string[]): string {
  const near = nearestName(name, known)
  return near === undefined ? `, expected one of ${known.join(', ')}` : `, did you mean "${near}"?`
}

/** Every text that a field of the player is compared with, and where it stands first. */
function comparedWith(ast: ASTNode, field: string): Map<string, ASTNode> {
  const isIt = (node: ASTNode) =>
    node.op === '.' && node.args[1] === field && node.args[0].op === 'id' && node.args[0].args === 'player'
  const comparisons = nodesIn(ast, ({ op }) => op === '==' || op === '!=' || op === 'in')
  return firstOf(comparisons, (node) => {
    const [left, right] = node.args as [ASTNode, ASTNode]
    return [...(isIt(left) ? [right] : []), ...(isIt(right) ? [left] : [])]
  })
}

/** The texts in some parts of nodes, each with the part where it stands first. */
function firstOf(nodes: readonly ASTNode[], partsOf: (node: ASTNode) => readonly ASTNode[]): Map<string, ASTNode> {
  const first = new Map<string, ASTNode>()
  for (const part of nodes.flatMap(partsOf))
    for (const text of textLiterals(part)) if (!first.has(text)) first.set(text, part)
  return first
}
