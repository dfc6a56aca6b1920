/*
 * Exact numbers as the service sends them, strings like "-123.4" or "10/3", added and shown without floats.
 */

/** A fraction in lowest terms, with a positive denominator. */
type Ratio = readonly [over: bigint, under: bigint]

function ratioOf(exact: string | number): Ratio {
  const text = String(exact)
  const [over = '', under = '1'] = text.split('/')
  const [whole = '', decimals = ''] = over.split('.')
  return reduced(BigInt(`${whole}${decimals}`), BigInt(under) * 10n ** BigInt(decimals.length))
}

function reduced(over: bigint, under: bigint): Ratio {
  let [a, b] = [over < 0n ? -over : over, under]
  while (b > 0n) [a, b] = [b, a % b]
  return a === 0n ? [0n, 1n] : [over / a, under / a]
}

/** A decimal if it terminates, else a fraction. */
function textOf([over, under]: Ratio): string {
  let [rest, twos, fives] = [under, 0, 0]
  for (; rest % 2n === 0n; twos += 1) rest /= 2n
  for (; rest % 5n === 0n; fives += 1) rest /= 5n
  if (rest !== 1n) return `${over}/${under}`
  const places = Math.max(twos, fives)
  return decimalText((over * 10n ** BigInt(places)) / under, places)
}

function decimalText(digits: bigint, places: number): string {
  const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0')
  const [whole, decimals] = [text.slice(0, text.length - places), text.slice(text.length - places).replace(/0+$/, '')]
  return `${digits < 0n ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`
}

/** The sum, exact. */
export function sumOf(numbers: readonly (string | number)[]): string {
  return textOf(
    numbers.map(ratioOf).reduce(([a, b], [c, d]): Ratio => reduced(a * d + c * b, b * d), [0n, 1n] as Ratio),
  )
}

export function isZero(exact: string | number): boolean {
  return ratioOf(exact)[0] === 0n
}

export function isBelowZero(exact: string | number): boolean {
  return ratioOf(exact)[0] < 0n
}

/** Below 0 if `one` is less than `other`, above 0 if it is more. */
export function compareExact(one: string | number, other: string | number): number {
  const [[a, b], [c, d]] = [ratioOf(one), ratioOf(other)]
  return a * d < c * b ? -1 : a * d > c * b ? 1 : 0
}

/** The same number with the other sign. */
export function negated(exact: string | number): string {
  const [over, under] = ratioOf(exact)
  return textOf([-over, under])
}

/** For the height of a bar and for a percentage, where the last digit does not matter. */
export function approximately(exact: string | number): number {
  const [over, under] = ratioOf(exact)
  return Number(over) / Number(under)
}

/** With groups of three digits and a real minus: "−1,234.5". */
export function grouped(exact: string | number): string {
  const text = String(exact)
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)$/.exec(text) ?? [text, '', text, '']
  return `${sign === '-' ? '−' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${rest}`
}

/** Grouped, and with a plus if it is above 0. */
export function signed(exact: string | number): string {
  return `${ratioOf(exact)[0] > 0n ? '+' : ''}${grouped(exact)}`
}

const THOUSANDS = ['', 'K', 'M', 'B', 'T']
const SCIENTIFIC_FROM = 3 * THOUSANDS.length

/** "131.5M", for where the exact number does not fit: rounded to tenths, half away from 0. Below 1,000 to hundredths; from 10^15 on "1.3E20". */
export function short(exact: string | number): string {
  const [over, under] = ratioOf(exact)
  const size = over < 0n ? -over : over
  const digits = String(size / under).length
  if (digits <= 3) return grouped(rounded(exact))
  const tenthsOf = (power: number) => {
    const unit = under * 10n ** BigInt(power)
    return (size * 20n + unit) / (unit * 2n)
  }
  const step = digits > SCIENTIFIC_FROM ? 1 : 3
  const begun = Math.floor((digits - 1) / step) * step
  // 999,950 rounds to 1,000.0K, which is 1M.
  const power = tenthsOf(begun) < 10n ** BigInt(step + 1) ? begun : begun + step
  const unit = power < SCIENTIFIC_FROM ? THOUSANDS[power / 3] : `E${power}`
  return `${over < 0n ? '−' : ''}${decimalText(tenthsOf(power), 1)}${unit}`
}

/** Rounded to hundredths, half away from 0: for people, beside an exact number in the CSV. */
export function rounded(exact: string | number): string {
  const [over, under] = ratioOf(exact)
  const size = ((over < 0n ? -over : over) * 200n + under) / (under * 2n)
  return decimalText(over < 0n ? -size : size, 2)
}
