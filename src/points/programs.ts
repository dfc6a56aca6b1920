import type { PublishedProgram } from './model.ts'

/**
 * The version that holds at a moment (RFC 3339, UTC): the one with the latest `from` not after it, the higher number on a tie.
 * Undefined where none holds yet. Source: docs/programs.md.
 */
export function programAt(programs: readonly PublishedProgram[], at: string): PublishedProgram | undefined {
  const moment = Date.parse(at)
  const since = ({ from }: PublishedProgram) => (from === '-infinity' ? Number.NEGATIVE_INFINITY : Date.parse(from))
  return programs
    .filter((program) => since(program) <= moment)
    .reduce<PublishedProgram | undefined>((best, one) => {
      if (best === undefined || since(one) > since(best)) return one
      return since(one) === since(best) && one.version > best.version ? one : best
    }, undefined)
}
