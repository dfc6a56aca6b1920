/*
 * The literals of a condition, and which attributes they are compared with.
 */
import type { ASTNode } from '@marcbachmann/cel-js'
import type { AttributeTypes } from './attributes.ts'
import { attributeOf, childrenOf, isVariable, someNode, textLiterals } from './condition-tree.ts'

/** Texts, those of them that are passed to `startsWith`, and numbers: each occurrence. */
export type Literals = Readonly<{
  texts: readonly string[]
  prefixes: readonly string[]
  numbers: readonly (number | bigint)[]
}>

/** An attribute of an order, of a player, or of a line or its product, with the literals of a comparison that reads it. */
export type AttributeMention = Readonly<{ of: keyof AttributeTypes; name: string }> &
  Pick<Literals, 'texts' | 'numbers'>

export function literalsIn(ast: ASTNode): Literals {
  const literals = { texts: [] as string[], prefixes: [] as string[], numbers: [] as (number | bigint)[] }
  someNode(ast, (node) => {
    if (node.op === 'rcall' && node.args[0] === 'startsWith')
      literals.prefixes.push(...node.args[2].flatMap(textLiterals))
    if (node.op === 'value') {
      if (typeof node.args === 'string') literals.texts.push(node.args)
      else if (typeof node.args === 'number' || typeof node.args === 'bigint') literals.numbers.push(node.args)
    }
    return false
  })
  return literals
}

/** The attributes that a condition reads: each with the literals beside it, those between two `&&`, `||`, `!` or `?:`. */
export function attributeMentionsIn(ast: ASTNode): AttributeMention[] {
  if (['&&', '||', '!_', '?:'].includes(ast.op)) return childrenOf(ast).flatMap(attributeMentionsIn)
  const { texts, numbers } = literalsIn(ast)
  const mentions: AttributeMention[] = []
  someNode(ast, (node) => {
    const read = attributeOf(node)
    if (read !== undefined) mentions.push({ of: sectionOf(read.owner), name: read.name, texts, numbers })
    return false
  })
  return mentions
}

/** The section of a program that declares the attributes of an owner. Lines have any name in a comprehension. */
function sectionOf(owner: ASTNode): keyof AttributeTypes {
  return (['order', 'player'] as const).find((name) => isVariable(owner, name)) ?? 'product'
}
