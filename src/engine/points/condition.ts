/*
 * Conditions of rules, in CEL, over exact numbers: amounts, quantities and literals with a point are decimals where CEL has doubles.
 */
import { type ASTNode, Environment, type ParseError, type ParseResult } from '@marcbachmann/cel-js'
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
import { FIELDS } from './condition-fields.ts'
import { type ConditionIssue, syntaxIssue, treeIssues, typeIssues } from './condition-issues.ts'
import { type AttributeMention, attributeMentionsIn, type Literals, literalsIn } from './condition-literals.ts'
import {
  mayRead,
  mentionsBalance,
  mentionsChosen,
  mentionsLine,
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
): { condition: Condition } | { issues: readonly ConditionIssue[]; mentionsLine: boolean } {
  let test: ParseResult
  try {
    test = environment.parse(source)
  } catch (error) {
    return { issues: [syntaxIssue(error as ParseError, source)], mentionsLine: false }
  }
  const { ast } = test
  const unread = makeExact(ast)
  // A literal that could not be read has the wrong type, too.
  const ofTypes = unread.length > 0 ? unread : typeIssues(test, source, { levels, attributes })
  const issues = [...ofTypes, ...treeIssues(ast, levels)]
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

/** Makes decimals of the doubles in a syntax tree: literals, and what `double` returns. Returns an issue for each literal that cannot be read. */
function makeExact(ast: ASTNode): ConditionIssue[] {
  const unread: ConditionIssue[] = []
  let digits = 0
  someNode(ast, (node) => {
    if (node.op === 'call' && node.args[0] === 'double') node.args[0] = 'decimal'
    if (node.op === 'value' && typeof node.args === 'number') {
      const text = node.input.slice(node.start, node.end)
      const decimal = parseDecimal(text, LITERAL_EXPONENT_MAX)
      digits += text.length + Math.abs(Number(/e(.+)/i.exec(text)?.[1] ?? 0))
      // The library takes the type of a literal from its value, of whichever class.
      if (decimal === undefined || digits > DIGITS_MAX)
        unread.push({ error: `too many digits in the number "${text}"`, at: node.start })
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
