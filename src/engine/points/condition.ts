/*
 * Conditions of rules, in CEL, over exact numbers: amounts, quantities and literals with a point are decimals where CEL has doubles.
 */
import { type ASTNode, Environment, type ParseResult } from '@marcbachmann/cel-js'
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import type { AttributeType, AttributeTypes } from './attributes.ts'
import type { ConditionContext } from './condition-context.ts'
import {
  ChosenInputs,
  LineAttributeInputs,
  LineInputs,
  OrderAttributeInputs,
  OrderInputs,
  PlayerAttributeInputs,
  PlayerInputs,
} from './condition-context.ts'
import {
  type AttributeMention,
  attributeMentionsIn,
  type Literals,
  literalsIn,
  literalTextsOf,
} from './condition-literals.ts'
import {
  callOf,
  childrenOf,
  isComprehension,
  mayRead,
  mentionsBalance,
  mentionsChosen,
  mentionsLine,
  nodesOf,
  replaceParts,
  someNode,
  stepsOf,
} from './condition-tree.ts'
import {
  compareDecimals,
  compareWithWhole,
  Decimal,
  decimalOfWhole,
  minus,
  negative,
  over,
  parseDecimal,
  plus,
  times,
  wholePart,
} from './decimal.ts'
import { isTimeZone } from './local-time.ts'
import { isGroup, issuesOfGroup } from './player-groups.ts'

/**
 * A checked condition. With `mentionsLine` it selects lines, else it applies to the whole order. `testChosen` are its parts about the lines selected by the
 * others; absent: none. `steps` is its cost; see stepsOf.
 */
export type Condition = Readonly<{
  source: string
  mentionsLine: boolean
  mentionsBalance: boolean
  steps: number
  test: (context: ConditionContext) => boolean
  testChosen?: (context: ConditionContext) => boolean
}>

const NODES_MAX = 200
/** The exponents that doubles have: programs from when conditions computed with doubles may use them. */
const LITERAL_EXPONENT_MAX = 400
/** Of all numbers with such exponents in a condition, written out: they are multiplied with each other. */
const DIGITS_MAX = 6_000

/** What conditions can read, by the name of its type. */
const FIELDS = {
  Line: { sku: 'string', amount: 'decimal', qty: 'decimal', price: 'decimal', known: 'bool' },
  Lines: { net: 'decimal', amount: 'decimal', qty: 'decimal' },
  Order: {
    id: 'string',
    net: 'decimal',
    total: 'decimal',
    discount: 'decimal',
    qty: 'decimal',
    referral_code: 'string',
    subscript_points: 'bool',
    at: 'google.protobuf.Timestamp',
    date: 'string',
    lines: 'list<Line>',
  },
  Player: {
    known: 'bool',
    level: 'string',
    points: 'int',
    earned: 'int',
    state: 'string',
    district: 'string',
    country: 'string',
    gender: 'string',
    age: 'int',
    is_birthday: 'bool',
    is_birth_month: 'bool',
    orders: 'int',
  },
} as const

/** What conditions can read, and compute with: under a program that declares attributes, these too. Takes 0.2 ms. */
const environmentWith = (attributes?: AttributeTypes) => {
  const plain = new Environment({ limits: { maxAstNodes: NODES_MAX } }).registerType('decimal', Decimal)
  const ofType = (type: string) => (attributes === undefined ? {} : { attributes: `${type}Attributes` })
  if (attributes !== undefined)
    plain
      .registerType('LineAttributes', { ctor: LineAttributeInputs, fields: fieldsOf(attributes.product) })
      .registerType('OrderAttributes', { ctor: OrderAttributeInputs, fields: fieldsOf(attributes.order) })
      .registerType('PlayerAttributes', { ctor: PlayerAttributeInputs, fields: fieldsOf(attributes.player) })
  return (
    plain
      .registerType('Line', { ctor: LineInputs, fields: { ...FIELDS.Line, ...ofType('Line') } })
      .registerType('Lines', { ctor: ChosenInputs, fields: FIELDS.Lines })
      .registerType('Order', { ctor: OrderInputs, fields: { ...FIELDS.Order, ...ofType('Order') } })
      .registerType('Player', { ctor: PlayerInputs, fields: { ...FIELDS.Player, ...ofType('Player') } })
      .registerOperator('decimal == decimal', (a: Decimal, b: Decimal) => compareDecimals(a, b) === 0)
      .registerOperator('decimal < decimal', (a: Decimal, b: Decimal) => compareDecimals(a, b) < 0)
      .registerOperator('decimal <= decimal', (a: Decimal, b: Decimal) => compareDecimals(a, b) <= 0)
      .registerOperator('decimal > decimal', (a: Decimal, b: Decimal) => compareDecimals(a, b) > 0)
      .registerOperator('decimal >= decimal', (a: Decimal, b: Decimal) => compareDecimals(a, b) >= 0)
      .registerOperator('decimal + decimal', plus)
      .registerOperator('decimal - decimal', minus)
      .registerOperator('decimal * decimal', times)
      .registerOperator('decimal / decimal', over)
      .registerOperator('-decimal', negative)
      // Amounts are decimals, but people write 1000.
      .registerOperator('decimal == int', (a: Decimal, b: bigint) => compareWithWhole(a, b) === 0)
      .registerOperator('decimal < int', (a: Decimal, b: bigint) => compareWithWhole(a, b) < 0)
      .registerOperator('decimal <= int', (a: Decimal, b: bigint) => compareWithWhole(a, b) <= 0)
      .registerOperator('decimal > int', (a: Decimal, b: bigint) => compareWithWhole(a, b) > 0)
      .registerOperator('decimal >= int', (a: Decimal, b: bigint) => compareWithWhole(a, b) >= 0)
      .registerOperator('int < decimal', (a: bigint, b: Decimal) => compareWithWhole(b, a) > 0)
      .registerOperator('int <= decimal', (a: bigint, b: Decimal) => compareWithWhole(b, a) >= 0)
      .registerOperator('int > decimal', (a: bigint, b: Decimal) => compareWithWhole(b, a) < 0)
      .registerOperator('int >= decimal', (a: bigint, b: Decimal) => compareWithWhole(b, a) <= 0)
      .registerOperator('decimal == uint', (a: Decimal, b: UnsignedInt) => compareWithWhole(a, b.valueOf()) === 0)
      .registerOperator('decimal < uint', (a: Decimal, b: UnsignedInt) => compareWithWhole(a, b.valueOf()) < 0)
      .registerOperator('decimal <= uint', (a: Decimal, b: UnsignedInt) => compareWithWhole(a, b.valueOf()) <= 0)
      .registerOperator('decimal > uint', (a: Decimal, b: UnsignedInt) => compareWithWhole(a, b.valueOf()) > 0)
      .registerOperator('decimal >= uint', (a: Decimal, b: UnsignedInt) => compareWithWhole(a, b.valueOf()) >= 0)
      .registerOperator('uint < decimal', (a: UnsignedInt, b: Decimal) => compareWithWhole(b, a.valueOf()) > 0)
      .registerOperator('uint <= decimal', (a: UnsignedInt, b: Decimal) => compareWithWhole(b, a.valueOf()) >= 0)
      .registerOperator('uint > decimal', (a: UnsignedInt, b: Decimal) => compareWithWhole(b, a.valueOf()) < 0)
      .registerOperator('uint >= decimal', (a: UnsignedInt, b: Decimal) => compareWithWhole(b, a.valueOf()) <= 0)
      .registerOperator('decimal + int', (a: Decimal, b: bigint) => plus(a, decimalOfWhole(b)))
      .registerOperator('decimal - int', (a: Decimal, b: bigint) => minus(a, decimalOfWhole(b)))
      .registerOperator('decimal * int', (a: Decimal, b: bigint) => times(a, decimalOfWhole(b)))
      .registerOperator('decimal / int', (a: Decimal, b: bigint) => over(a, decimalOfWhole(b)))
      .registerOperator('int + decimal: decimal', (a: bigint, b: Decimal) => plus(decimalOfWhole(a), b))
      .registerOperator('int - decimal: decimal', (a: bigint, b: Decimal) => minus(decimalOfWhole(a), b))
      .registerOperator('int * decimal: decimal', (a: bigint, b: Decimal) => times(decimalOfWhole(a), b))
      .registerOperator('int / decimal: decimal', (a: bigint, b: Decimal) => over(decimalOfWhole(a), b))
      .registerFunction('decimal(decimal): decimal', (number: Decimal) => number)
      .registerFunction('decimal(int): decimal', decimalOfWhole)
      .registerFunction('decimal(string): decimal', decimalOfText)
      .registerFunction('int(decimal): int', wholePart)
      .registerFunction('uint(decimal): uint', (number: Decimal) => new UnsignedInt(wholePart(number)))
      .registerFunction('string(decimal): string', String)
      .registerFunction('Player.group(string, int): int', (player: PlayerInputs, name: string, groups: bigint) =>
        player.group(name, groups),
      )
      .registerVariable('order', 'Order')
      .registerVariable('player', 'Player')
      .registerVariable('line', 'Line')
      .registerVariable('lines', 'Lines')
  )
}

function fieldsOf(types: ReadonlyMap<string, AttributeType>): Readonly<Record<string, string>> {
  return Object.fromEntries([...types].map(([name, type]) => [name, CEL_TYPES[type]]))
}

const CEL_TYPES: Readonly<Record<AttributeType, string>> = {
  text: 'string',
  number: 'decimal',
  'yes-no': 'bool',
  date: 'string',
  texts: 'list<string>',
}

/** Without attributes. */
const plainEnvironment = environmentWith()

/** Names that a condition may use besides the fields: of levels, undefined if they are not known, and the declared attributes. */
export type KnownNames = Readonly<{
  levels: ReadonlySet<string> | undefined
  attributes?: AttributeTypes
  /** Made of the attributes, once for a program. */
  environment?: Environment
}>

/** The names with what reads conditions on them. */
export function withEnvironment(names: KnownNames): KnownNames {
  return names.attributes === undefined ? names : { ...names, environment: environmentWith(names.attributes) }
}

/**
 * Reads a condition, or says all that is wrong with it, and whether it mentions `line` as far as it can be read.
 *
 * Bounds  at most 200 nodes, no `matches` (a regular expression can run for seconds), no `bind` (a list could be doubled repeatedly),
 *         no nested comprehensions, numbers of at most 6,000 digits together; `costFault` bounds the total cost of a program's conditions
 * Source  docs/programs.md
 */
export function readCondition(
  source: string,
  { levels, attributes, environment = plainEnvironment }: KnownNames,
): { condition: Condition } | { issues: readonly string[]; mentionsLine: boolean } {
  let test: ParseResult
  try {
    test = environment.parse(source)
  } catch (error) {
    return { issues: [`expected a condition: ${firstLine(error as Error)}`], mentionsLine: false }
  }
  const { ast } = test
  const unread = makeExact(ast).map((text) => `too many digits in the number "${text}"`)
  // A literal that could not be read has the wrong type, too.
  const typeIssues = unread.length > 0 ? [] : typeIssuesOf(test, source, attributes)
  const issues = [...unread, ...typeIssues, ...issuesIn(ast, levels)]
  if (issues.length > 0) return { issues, mentionsLine: mentionsLine(ast) }
  return {
    condition: {
      source,
      mentionsLine: mentionsLine(ast),
      mentionsBalance: mentionsBalance(ast),
      steps: stepsOf(ast),
      ...(mentionsChosen(ast) ? testsOfParts(source, environment) : { test: (context) => test(context) === true }),
    },
  }
}

/** The parts of a condition that are not about the chosen lines, and those that are. */
function testsOfParts(source: string, environment: Environment): Pick<Condition, 'test' | 'testChosen'> {
  const partOf = (isLeftOut: (part: ASTNode) => boolean) => {
    const { ast } = environment.parse(source)
    makeExact(ast)
    const test = environment.parse('true && true')
    const sides = test.ast.args as [ASTNode, ASTNode]
    sides[0] = replaceParts(ast, isLeftOut, sides[1])
    return (context: ConditionContext) => test(context) === true
  }
  return { test: partOf(mentionsChosen), testChosen: partOf((part) => !mentionsChosen(part)) }
}

function typeIssuesOf(test: ParseResult, source: string, attributes: AttributeTypes | undefined): string[] {
  const checked = test.check()
  if (!checked.valid)
    return [`expected a condition: ${firstLine(checked.error)}${keysBeside(checked.error, source, attributes)}`]
  return checked.type === 'bool' ? [] : [`expected a boolean condition, got ${checked.type}`]
}

/**
 * What a condition mentions: fields by their last part (`net`, `sku`), literals, and attributes.
 */
export type Mentions = Literals &
  Readonly<{
    fields: ReadonlySet<string>
    attributes: readonly AttributeMention[]
    variesWith: Variation
  }>

/**
 * What a condition reads, or might, that differs between equal orders of a player: their points or those that count for the level, the level, how
 * many orders were before (or the order's id), the moment (or the player's age).
 */
export type Variation = Readonly<{ balance: boolean; level: boolean; count: boolean; moment: boolean }>

/** Collects what a condition mentions, each occurrence separately, but every field only once. */
export function mentionsIn({ source }: Condition): Mentions {
  const fields = new Set<string>()
  const { ast } = plainEnvironment.parse(source)
  someNode(ast, (node) => {
    if (node.op === '.') fields.add(node.args[1])
    return false
  })
  const variesWith = {
    balance: mayRead(ast, 'player', ['points', 'earned']),
    level: mayRead(ast, 'player', ['level']),
    count: mayRead(ast, 'player', ['orders']) || mayRead(ast, 'order', ['id']),
    moment: mayRead(ast, 'player', ['age', 'is_birthday', 'is_birth_month']) || mayRead(ast, 'order', ['at', 'date']),
  }
  return { fields, ...literalsIn(ast), attributes: attributeMentionsIn(ast), variesWith }
}

/** Makes decimals of the doubles in a syntax tree: literals, and what `double` returns. Returns the literals that cannot be read. */
function makeExact(ast: ASTNode): string[] {
  const unread: string[] = []
  let digits = 0
  someNode(ast, (node) => {
    if (node.op === 'call' && node.args[0] === 'double') node.args[0] = 'decimal'
    if (node.op === 'value' && typeof node.args === 'number') {
      const text = node.input.slice(node.start, node.end)
      const decimal = parseDecimal(text, LITERAL_EXPONENT_MAX)
      digits += text.length + Math.abs(Number(/e(.+)/i.exec(text)?.[1] ?? 0))
      // The library takes the type of a literal from its value, of whichever class.
      if (decimal === undefined || digits > DIGITS_MAX) unread.push(text)
      else Object.assign(node, { args: decimal })
    }
    return false
  })
  return unread
}

function decimalOfText(text: string): Decimal {
  const decimal = parseDecimal(text)
  if (decimal === undefined) throw new Error('double of a non-numeric string')
  return decimal
}

function issuesIn(ast: ASTNode, levels: ReadonlySet<string> | undefined): string[] {
  const issues: string[] = []
  if (someNode(ast, (node) => callOf(node) === 'matches'))
    issues.push('expected a condition without matches: use startsWith, endsWith, contains or ==')
  if (someNode(ast, (node) => callOf(node) === 'bind'))
    issues.push('expected a condition without bind: write the value out')
  issues.push(...nodesOf(ast, isGroup).flatMap(issuesOfGroup))
  if (mentionsChosen(ast) && someNode(ast, (node) => node.op !== '&&' && mentionsLine(node) && mentionsChosen(node)))
    issues.push('line and lines cannot be mixed: join the parts about line and those about lines with &&')
  const nested = someNode(
    ast,
    (outer) => isComprehension(outer) && childrenOf(outer).some((child) => someNode(child, isComprehension)),
  )
  if (nested) issues.push('exists, all, filter and map cannot be nested')
  for (const name of new Set(zonesIn(ast)))
    if (!isTimeZone(name)) issues.push(`unknown time zone "${name}", expected one like "Asia/Kolkata"`)
  for (const name of new Set(textsComparedIn(ast, 'gender')))
    if (!['male', 'female', ''].includes(name)) issues.push(`unknown gender "${name}", expected male or female`)
  const unknown = levels && [...new Set(textsComparedIn(ast, 'level'))].filter((name) => !levels.has(name))
  unknown?.forEach((name, index) => {
    // The ladder is listed once: a condition can name 200 wrong levels, and each issue would repeat all names of the ladder.
    const ladder = index === 0 ? `, expected one of ${[...levels!].join(', ')}` : ''
    issues.push(`unknown level "${name}"${ladder}`)
  })
  return issues
}

/** Every time zone that is passed to a timestamp function. */
function zonesIn(ast: ASTNode): string[] {
  const zones: string[] = []
  someNode(ast, (node) => {
    if (node.op === 'rcall' && node.args[0].startsWith('get')) zones.push(...node.args[2].flatMap(literalTextsOf))
    return false
  })
  return zones
}

/** Every text that a field of the player is compared with. */
function textsComparedIn(ast: ASTNode, field: string): string[] {
  const texts: string[] = []
  someNode(ast, (node) => {
    if (node.op !== '==' && node.op !== '!=' && node.op !== 'in') return false
    const [left, right] = node.args
    for (const [one, other] of [
      [left, right],
      [right, left],
    ] as const)
      if (isOfPlayer(one, field)) texts.push(...literalTextsOf(other))
    return false
  })
  return texts
}

function isOfPlayer(node: ASTNode, field: string): boolean {
  return node.op === '.' && node.args[1] === field && node.args[0].op === 'id' && node.args[0].args === 'player'
}

/** The keys that there are, where the error is one that is not. A line goes by any name within `exists` and the like. */
function keysBeside(error: Error | undefined, source: string, attributes: AttributeTypes | undefined): string {
  const [, key] = /^No such key: (\w+)/.exec(firstLine(error)) ?? []
  if (key === undefined) return ''
  const [, owner = ''] = new RegExp(`(\\w+)\\s*\\.\\s*${key}\\b`).exec(source) ?? []
  if (key === 'attributes') return '; declare them in the section attributes of the program'
  if (owner === 'attributes' && attributes !== undefined) {
    const [, kind] = new RegExp(`(order|player)\\s*\\.\\s*attributes\\s*\\.\\s*${key}\\b`).exec(source) ?? []
    const names = [...attributes[(kind as 'order' | 'player' | undefined) ?? 'product'].keys()]
    return `; declared are ${names.length === 0 ? 'none' : names.join(', ')}`
  }
  const isChosen = new RegExp(`(?<![.\\w])lines\\s*\\.\\s*${key}\\b`).test(source)
  const type = isChosen ? 'Lines' : owner === 'order' ? 'Order' : owner === 'player' ? 'Player' : 'Line'
  return `; ${type.toLowerCase()} has ${Object.keys(FIELDS[type]).join(', ')}`
}

function firstLine(error: Error | undefined): string {
  return (error?.message ?? 'it cannot be read').split('\n')[0]!
}
