/*
 * Regular expressions for the API description: readers accept whatever matches them. `\x` is the escape that most regex dialects support.
 */

export const NO_NUL = '^[^\\x00]*$'
export const NO_NUL_NOT_BLANK = '^[^\\x00]*[^\\s\\x00][^\\x00]*$'
export const NO_CONTROLS = '^[^\\x00-\\x1f\\x7f-\\x9f]*$'
export const NO_CONTROLS_NOT_BLANK =
  '^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$'

/** Something, a single @, and something with a dot; no blanks. The reader uses it too. */
export const EMAIL_ADDRESS = '^[^\\s@\\x00]+@[^\\s@\\x00]+\\.[^\\s@\\x00]+$'

/** DD-MM-YYYY: existing days from 1900 to 2099. */
export const DAY = [
  '^(?:(?:0[1-9]|1\\d|2[0-8])-(?:0[1-9]|1[0-2])-(?:19|20)\\d{2}',
  '(?:29|30)-(?:0[13-9]|1[0-2])-(?:19|20)\\d{2}',
  '31-(?:0[13578]|1[02])-(?:19|20)\\d{2}',
  '29-02-(?:(?:19|20)(?:0[48]|[2468][048]|[13579][26])|2000))$',
].join('|')

/** The digits of a whole number from `least` to `max`, with leading zeros (decision 9); not anchored. */
export function wholePattern(max: bigint, least: 0 | 1 = 0): string {
  const digits = String(max)
  const below = [...digits].flatMap((digit, index) => {
    const rest = digits.length - index - 1
    const [low, high] = [index === 0 ? least : 0, Number(digit) - 1]
    const lower = low === high ? low : `[${low}-${high}]`
    return low > high ? [] : [`${digits.slice(0, index)}${lower}${rest > 0 ? `\\d{${rest}}` : ''}`]
  })
  const shorter = least === 0 ? `\\d{1,${digits.length - 1}}` : `[1-9]\\d{0,${digits.length - 2}}`
  return `0*(?:${[shorter, ...below, digits].join('|')})`
}
