import { OperatorError } from '../../errors.ts'

/** The fields that an option names, by the wire's names: lists with commas, of which there may be several. Errors: OperatorError. */
export function readFieldList(option: string, texts: readonly string[], known: readonly string[]): ReadonlySet<string> {
  const asked = texts.flatMap((text) => text.split(',')).map((wire) => wire.trim())
  const unknown = asked.find((wire) => !known.includes(wire))
  if (unknown !== undefined)
    throw new OperatorError(`${option} ${unknown}: expected fields among ${known.join(', ')}, with commas between them`)
  return new Set(asked)
}
