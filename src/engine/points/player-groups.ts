/*
 * Groups of players, such as a control group: `player.group("autumn", 2)`. Whoever has a player's ID can compute the group.
 */
import { hash } from 'node:crypto'
import type { ASTNode } from '@marcbachmann/cel-js'
import type { UserId } from './units.ts'

const [GROUPS_MIN, GROUPS_MAX] = [2n, 1_000n]

/**
 * The group of a player, from 1 to `groups`: the first 8 bytes of the SHA-256 of ID, line feed and name as an unsigned big-endian integer, modulo
 * `groups`, plus 1. An ID has no line feeds, so that different pairs are different texts.
 *
 * Bounds   groups differ in size by less than 1,000 of 2^64 players
 * Source   docs/program-reference.md; decision 163
 */
export function groupOf(id: UserId, name: string, groups: bigint): bigint {
  return (BigInt(`0x${hash('sha256', `${id}\n${name}`).slice(0, 16)}`) % groups) + 1n
}

type MethodCall = Extract<ASTNode, { op: 'rcall' }>

/** Whether a node asks for a group of a player. */
export function isGroup(node: ASTNode): node is MethodCall {
  return node.op === 'rcall' && node.args[0] === 'group'
}

/** What is wrong with a call: its name and number are written out, so that everybody can compute the groups of a program. */
export function issuesOfGroup({ args: [, , [name, groups]] }: MethodCall): string[] {
  const isNamed = name?.op === 'value' && typeof name.args === 'string' && name.args !== ''
  const count = groups?.op === 'value' && typeof groups.args === 'bigint' ? groups.args : 0n
  if (isNamed && count >= GROUPS_MIN && count <= GROUPS_MAX) return []
  return [
    `expected a name in quotes and a number of groups from ${GROUPS_MIN} to ${GROUPS_MAX}, like player.group("autumn", 2)`,
  ]
}
