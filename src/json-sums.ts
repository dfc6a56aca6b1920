/*
 * Sums of points in JSON. What is recorded is at most 2^53-1, as is what it leaves in an account (decision 20). But where one part of an account is
 * below 0 another may exceed that; a JSON number then has all its digits.
 */

declare global {
  /** Of ECMAScript 2026; TypeScript does not declare them yet. */
  interface JSON {
    rawJSON(text: string): unknown
    parse(text: string, reviver: (key: string, value: unknown, at?: Readonly<{ source?: string }>) => unknown): unknown
  }
}

/** A sum as a field of a response: a number, or beyond 2^53-1, where numbers are not exact, a BigInt, which only `jsonOf` can write. */
export function jsonSum(sum: bigint): number {
  const number = Number(sum)
  return Number.isSafeInteger(number) ? number : (sum as unknown as number)
}

/** Like JSON.stringify, for values that may have sums. */
export function jsonOf(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent)
  } catch {
    // A replacer is slow, so that only values with a BigInt have one.
    return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? JSON.rawJSON(`${one}`) : one), indent)
  }
}

/**
 * Like JSON.parse, but a whole number beyond 2^53-1 becomes what `exactly` makes of its digits. In a browser from before 2025 that does not tell the
 * digits, it is rounded. Errors: SyntaxError.
 */
export function parseSums(text: string, exactly: (digits: string) => unknown = BigInt): unknown {
  // Looking at each value takes six times as long. Ids with so many digits are texts, which begin with a quote.
  if (!/(?:^|[:,[])\s*-?\d{16}/.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value, { source = '' } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? exactly(source) : value,
  )
}
