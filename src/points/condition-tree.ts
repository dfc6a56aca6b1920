/*
 * The syntax tree of a condition: walking it, and what it costs to evaluate.
 */
import type { ASTNode } from '@marcbachmann/cel-js'
import { ORDER_LINES_MAX } from './model.ts'

/** What a function of a moment with a time zone costs, in steps: it asks the calendar of the machine. */
const ZONE_STEPS = 1_000

/**
 * The steps that a condition takes at most for an order of as many lines as are allowed: a node is a step, and so is a line of a list of
 * lines; what a comprehension repeats counts for each element, and what mentions `line` for each line.
 */
export function stepsOf(ast: ASTNode): number {
  return stepsOnce(ast) * (mentionsLine(ast) ? ORDER_LINES_MAX : 1)
}

/** Whether a condition says `line`: then it selects lines. */
export function mentionsLine(ast: ASTNode): boolean {
  return someNode(ast, (node) => node.op === 'id' && node.args === 'line')
}

function stepsOnce(node: ASTNode): number {
  if (isComprehension(node)) {
    const [, range, bodies] = node.args as [string, ASTNode, ASTNode[]]
    return 1 + stepsOnce(range) + lengthOf(range) * sum(bodies.slice(1).map(stepsOnce))
  }
  const own = isLines(node) ? ORDER_LINES_MAX : isZoned(node) ? ZONE_STEPS : 1
  return own + sum(childrenOf(node).map(stepsOnce))
}

/** How many elements a comprehension goes through at most: lists of lines can be added up. */
function lengthOf(range: ASTNode): number {
  if (range.op === 'list') return range.args.length
  return ORDER_LINES_MAX * Math.max(1, countNodes(range, isLines))
}

function isLines(node: ASTNode): boolean {
  return node.op === '.' && node.args[1] === 'lines'
}

function isZoned(node: ASTNode): boolean {
  return node.op === 'rcall' && node.args[0].startsWith('get') && node.args[2].length > 0
}

/** The name of the function that a node calls. */
export function callOf(node: ASTNode): string | undefined {
  return node.op === 'call' || node.op === 'rcall' ? node.args[0] : undefined
}

/** Whether a node is a loop over a list: all, exists, exists_one, filter or map. */
export function isComprehension(node: ASTNode): boolean {
  return node.op === 'rcall' && ['all', 'exists', 'exists_one', 'filter', 'map'].includes(node.args[0])
}

/** Whether this holds for a node of the tree, from the root down; ends at the first. */
export function someNode(node: ASTNode, is: (node: ASTNode) => boolean): boolean {
  return is(node) || childrenOf(node).some((child) => someNode(child, is))
}

function countNodes(node: ASTNode, is: (node: ASTNode) => boolean): number {
  return (is(node) ? 1 : 0) + sum(childrenOf(node).map((child) => countNodes(child, is)))
}

/** The nodes right below a node. */
export function childrenOf(node: ASTNode): ASTNode[] {
  const isNode = (value: unknown): value is ASTNode =>
    typeof value === 'object' && value !== null && 'op' in value && 'args' in value
  const inside = (value: unknown): ASTNode[] =>
    isNode(value) ? [value] : Array.isArray(value) ? value.flatMap(inside) : []
  return inside(node.args)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
