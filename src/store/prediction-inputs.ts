import type { Amount } from '../points/arithmetic.ts'
import { parseAmount } from '../points/arithmetic.ts'
import type { Catalogue, Player } from '../points/model.ts'
import type { Queryable } from './db.ts'
import { sqlFile } from './sql-file.ts'

/** Whose facts and which prices a prediction needs. */
export type PredictionQuestion = Readonly<{ userId: string; skus: readonly string[] }>

export type PredictionInputs = Readonly<{ player: Player; catalogue: Catalogue }>

type Row = Readonly<{ kind: 'player' | 'product'; key: string; price: string | null }>

const inputsSql = sqlFile('prediction-inputs')

/** What the engine needs for each question, by one statement for all of them. Answers in the order of the questions. */
export async function listPredictionInputs(
  db: Queryable,
  questions: readonly PredictionQuestion[],
): Promise<PredictionInputs[]> {
  const userIds = [...new Set(questions.map(({ userId }) => userId))]
  const skus = [...new Set(questions.flatMap(({ skus }) => skus))]
  const rows = await db.query<Row>(inputsSql, [userIds, skus])
  const known = new Set<string>()
  const prices = new Map<string, Amount>()
  for (const { kind, key, price } of rows) {
    if (kind === 'player') known.add(key)
    else prices.set(key, parseAmount(price!)!)
  }
  return questions.map(({ userId }) => ({ player: { known: known.has(userId), counted: 0n }, catalogue: prices }))
}
