import { OperatorError } from '../../errors.ts'

/** The whole number in an option, in a range. Errors: OperatorError. */
export function readNumber(option: string, text: string, least: number, most: number): number {
  const number = Number(text)
  if (!/^\d{1,10}$/.test(text) || number < least || number > most)
    throw new OperatorError(`${option}: expected an integer between ${least} and ${most}, got "${text}"`)
  return number
}
