import { styleText } from 'node:util'

/** A word in colour, if standard output is a terminal that shows colours. */
export function coloured(style: 'green' | 'red' | 'cyan' | 'bold', word: string): string {
  return styleText(style, word, { stream: process.stdout })
}
