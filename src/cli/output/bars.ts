const WIDTH = 20
const [FULL, MINUS] = ['▇', '░']

/** A bar for each number, in proportion to the largest; negative ones in another shade. Empty if standard output is not a terminal. */
export function barsOf(numbers: readonly number[], isTerminal = process.stdout.isTTY === true): string[] {
  const most = Math.max(...numbers.map(Math.abs))
  return numbers.map((number) => {
    const share = most === 0 ? 0 : Math.abs(number) / most
    const width = number === 0 ? 0 : Math.max(1, Math.round(share * WIDTH))
    return isTerminal ? (number < 0 ? MINUS : FULL).repeat(width) : ''
  })
}
