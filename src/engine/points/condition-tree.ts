/*
 * The syntax tree of a condition: traversal, and the cost of evaluating it.
 */
import type { ASTNode } from '@marcbachmann/cel-js'
import { ATTRIBUTES_MAX } from './attributes.ts'
import { ORDER_LINES_MAX } from './model.ts'
import { isGroup } from './player-groups.ts'

/** The cost, in steps, of a timestamp function with a time zone: it goes through `Intl`. */
const ZONE_STEPS = 1_000
/** Of a group of players: it takes a hash. */
const GROUP_STEPS = 100

/**
 * The most steps that evaluating a condition can take, for an order with the maximum number of lines. Every node is a step, and so is
 * every line of a list of lines; the body of a comprehension counts once for each element, and a condition on `line` once for each line.
 */
export function stepsOf(ast: ASTNode): number {
  return stepsOnce(ast) * (mentionsLine(ast) ? ORDER_LINES_MAX : 1)
}

/** Whether a condition mentions `line`, and thereby selects lines. */
export function mentionsLine(ast: ASTNode): boolean {
  return someNode(ast, (node) => isVariable(node, 'line'))
}

/** Whether a condition reads one of these fields of a variable, or might: whether it does anything with the variable but select other fields. */
export function mayRead(ast: ASTNode, variable: string, fields: readonly string[]): boolean {
  const isIt = (node: ASTNode) => isVariable(node, variable)
  const selectsOther = (node: ASTNode) =>
    (node.op === '.' && isIt(node.args[0]) && !fields.includes(node.args[1])) || (isGroup(node) && isIt(node.args[1]))
  return countNodes(ast, isIt) > countNodes(ast, selectsOther)
}

/** Whether a condition reads the player's balance, or might. */
export function mentionsBalance(ast: ASTNode): boolean {
  return mayRead(ast, 'player', ['points'])
}

/** Whether a condition mentions the variable `lines`; not where a comprehension gives that name to its elements. */
export function mentionsChosen(ast: ASTNode): boolean {
  const isIt = (node: ASTNode) => isVariable(node, 'lines')
  return someNode(ast, isIt) && !someNode(ast, (node) => isComprehension(node) && isIt(variableOf(node)))
}

function variableOf(comprehension: ASTNode): ASTNode {
  const [, , bodies] = comprehension.args as [string, ASTNode, ASTNode[]]
  return bodies[0]!
}

/** Puts `replacement` in the place of every part of a condition that is joined to the others by `&&` and that the predicate holds for. */
export function replaceParts(ast: ASTNode, isReplaced: (part: ASTNode) => boolean, replacement: ASTNode): ASTNode {
  if (ast.op !== '&&') return isReplaced(ast) ? replacement : ast
  const args = ast.args as [ASTNode, ASTNode]
  args[0] = replaceParts(args[0], isReplaced, replacement)
  args[1] = replaceParts(args[1], isReplaced, replacement)
  return ast
}

export function isVariable(node: ASTNode, name: string): boolean {
  return node.op === 'id' && node.args === name
}

function stepsOnce(node: ASTNode): number {
  if (isComprehension(node)) {
    const [, range, bodies] = node.args as [string, ASTNode, ASTNode[]]
    return 1 + stepsOnce(range) + lengthOf(range) * sum(bodies.slice(1).map(stepsOnce))
  }
  const steps = isLines(node) ? ORDER_LINES_MAX : isZoned(node) ? ZONE_STEPS : isGroup(node) ? GROUP_STEPS : 1
  return steps + sum(childrenOf(node).map(stepsOnce))
}

/** The most elements that a comprehension iterates over: lists of lines can be concatenated. */
function lengthOf(range: ASTNode): number {
  if (range.op === 'list') return range.args.length
  if (attributeOf(range) !== undefined) return ATTRIBUTES_MAX
  return ORDER_LINES_MAX * Math.max(1, countNodes(range, isLines))
}

function isLines(node: ASTNode): boolean {
  return node.op === '.' && node.args[1] === 'lines'
}

/** The attribute that a node selects, as `.name` or as `["name"]`, and of what. */
export function attributeOf(node: ASTNode): { owner: ASTNode; name: string } | undefined {
  if (node.op !== '.' && node.op !== '[]') return undefined
  const [set, key] = node.args
  const name = typeof key === 'string' ? key : textLiterals(key)[0]
  if (name === undefined || set.op !== '.' || set.args[1] !== 'attributes') return undefined
  return { owner: set.args[0], name }
}

function isZoned(node: ASTNode): boolean {
  return node.op === 'rcall' && node.args[0].startsWith('get') && node.args[2].length > 0
}

/** The name of the function that a node calls. */
export function callOf(node: ASTNode): string | undefined {
  return node.op === 'call' || node.op === 'rcall' ? node.args[0] : undefined
}

/** Whether a node is a comprehension: all, exists, exists_one, filter or map. */
export function isComprehension(node: ASTNode): boolean {
  return node.op === 'rcall' && ['all', 'exists', 'exists_one', 'filter', 'map'].includes(node.args[0])
}

/** Whether the predicate holds for any node of the tree. Depth first, from the root; stops at the first match. */
export function someNode(node: ASTNode, is: (node: ASTNode) => boolean): boolean {
  return is(node) || childrenOf(node).some((child) => someNode(child, is))
}

/** The nodes of the tree that the predicate holds for, depth first. */
export function nodesIn<Node extends ASTNode = ASTNode>(
  node: ASTNode,
  is: ((node: ASTNode) => node is Node) | ((node: ASTNode) => boolean),
): Node[] {
  const nodes: Node[] = []
  someNode(node, (one) => {
    if (is(one)) nodes.push(one as Node)
    return false
  })
  return nodes
}

/** The text literals that a node is, or that its list holds. */
export function textLiterals(node: ASTNode): string[] {
  if (node.op === 'value') return typeof node.args === 'string' ? [node.args] : []
  return node.op === 'list' ? node.args.flatMap(textLiterals) : []
}

function countNodes(node: ASTNode, is: (node: ASTNode) => boolean): number {
  return (is(node) ? 1 : 0) + sum(childrenOf(node).map((child) => countNodes(child, is)))
}

/** The child nodes of a node. */
export function childrenOf(node: ASTNode): ASTNode[] {
  const nodes: ASTNode[] = []
  collectNodes(node.args, nodes)
  return nodes
}

/** Adds the nodes that a value is or that its lists hold. A loop, because most of the time of reading a program is spent here. */
function collectNodes(value: unknown, nodes: ASTNode[]): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const inner of value) collectNodes(inner, nodes)
  else if ('op' in value && 'args' in value) nodes.push(value as ASTNode)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
