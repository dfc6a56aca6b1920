import { parse } from 'csv-parse'
import { openCsv } from './invoices.ts'

/** Categories are made up: the first of these whose word is in the description. */
const WORDS = {
  kitchen: ['CAKE', 'LUNCH', 'TEACUP', 'MUG', 'BOTTLE', 'KITCHEN', 'JAM', 'BOWL', 'BAKING'],
  bags: ['BAG'],
  lights: ['LIGHT', 'CANDLE', 'LANTERN'],
  seasonal: ['CHRISTMAS', 'EASTER'],
} as const

export type Category = keyof typeof WORDS | 'other'

/** The category of each stock code, by its first description; none without a description. */
export async function readCategories(path: string): Promise<ReadonlyMap<string, Category>> {
  const categories = new Map<string, Category>()
  for await (const [, sku, description] of openCsv(path).pipe(parse({ bom: true, from_line: 2 })))
    if (description !== '' && !categories.has(sku)) categories.set(sku, categoryOf(description))
  return categories
}

function categoryOf(description: string): Category {
  const found = (Object.keys(WORDS) as (keyof typeof WORDS)[]).find((category) =>
    WORDS[category].some((word) => description.toUpperCase().includes(word)),
  )
  return found ?? 'other'
}
