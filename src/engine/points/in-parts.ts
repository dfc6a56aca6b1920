/** Work that is done in parts: a caller may do something else between them. */
export type InParts<Result> = Generator<undefined, Result>

/** Does all parts of a work at once. */
export function finish<Result>(work: InParts<Result>): Result {
  let part = work.next()
  while (!part.done) part = work.next()
  return part.value
}
