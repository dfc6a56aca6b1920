import type { Amount } from '../points/arithmetic.ts'
import { parseAmount } from '../points/arithmetic.ts'
import { type Catalogue, NEWCOMER, type Player } from '../points/model.ts'
import type { Queryable } from './db.ts'
import { sqlFile } from './sql-file.ts'

/** Whose facts and which prices a prediction needs. */
export type PredictionQuestion = Readonly<{ userId: string; skus: readonly string[] }>

export type PredictionInputs = Readonly<{ player: Player; catalogue: Catalogue }>

type Row = Readonly<{ kind: 'player' | 'product'; key: string; price: string | null; facts: PlayerRow | null }>
type PlayerRow = Readonly<{ state: string; district: string; country: string; gender: string; date_of_birth: string }>

const inputsSql = sqlFile('prediction-inputs')

/** What the engine needs for each question, by one statement for all of them. Answers in the order of the questions. */
export async function listPredictionInputs(
  db: Queryable,
  questions: readonly PredictionQuestion[],
): Promise<PredictionInputs[]> {
  const userIds = [...new Set(questions.map(({ userId }) => userId))]
  const skus = [...new Set(questions.flatMap(({ skus }) => skus))]
  const rows = await db.query<Row>(inputsSql, [userIds, skus])
  const players = new Map<string, Player>()
  const prices = new Map<string, Amount>()
  for (const { kind, key, price, facts } of rows) {
    if (kind === 'player') players.set(key, playerOf(facts!))
    else prices.set(key, parseAmount(price!)!)
  }
  return questions.map(({ userId }) => ({ player: players.get(userId) ?? NEWCOMER, catalogue: prices }))
}

function playerOf({ date_of_birth: dateOfBirth, ...facts }: PlayerRow): Player {
  return { ...NEWCOMER, ...facts, known: true, dateOfBirth }
}
