/*
 * A bulk upsert of players as it is usually written, and written well: Express, zod and Knex with multi-row upserts, on a PostgreSQL server.
 * One transaction for a request; the fields and their checks are the same as ours. It counts nothing and stores no fingerprints.
 */
import type { AddressInfo } from 'node:net'
import express from 'express'
import knex from 'knex'
import { z } from 'zod'

const PARAMETERS_MAX = 65_535

const text = z.string().max(500)
const wanted = text.regex(/\S/)
const digits = z
  .union([z.string(), z.number().int()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,15}$/))

const player = z.object({
  User_id: z.string().max(200).regex(/\S/),
  Name: wanted,
  Email: z.union([z.literal(''), z.email().max(254)]).default(''),
  Phone: z
    .union([z.string(), z.number().int()])
    .transform(String)
    .pipe(z.string().regex(/^(?:\+?\d{1,15})?$/))
    .default(''),
  Add: text.default(''),
  DOB: z.string().transform((value, context) => {
    const [, day, month, year] = /^(\d{2})-(\d{2})-(\d{4})$/.exec(value) ?? []
    const iso = `${year}-${month}-${day}`
    const moment = new Date(`${iso}T00:00:00Z`)
    if (year !== undefined && moment.getUTCDate() === Number(day) && moment <= new Date() && year >= '1900') return iso
    context.addIssue({ code: 'custom', message: 'expected a date as DD-MM-YYYY' })
    return z.NEVER
  }),
  Gender: z.enum(['male', 'female']),
  Refercode: text,
  State: wanted,
  District: text.default(''),
  RefBy: text.default(''),
  Pincode: digits,
  Country: wanted,
})

const db = knex({ client: 'pg', connection: process.env.DATABASE_URL!, pool: { min: 2, max: 10 } })

await db.raw(`create table players (
  user_id text collate "C" primary key, name text not null, email text not null, phone text not null, address text not null,
  date_of_birth date not null, gender text not null, refer_code text not null, state text not null, district text not null,
  referred_by text not null, pincode text not null, country text not null,
  created_at timestamptz not null default now(), updated_at timestamptz not null)`)
await db.raw(`create index players_by_refer_code on players (refer_code) where refer_code <> ''`)

const app = express()
app.disable('x-powered-by')
app.use(express.json({ limit: '96mb' }))

app.post('/players', async (request, response) => {
  const { data } = request.body as { data?: unknown }
  if (!Array.isArray(data)) {
    response.status(400).json({ error: 'expected a list' })
    return
  }
  const updatedAt = new Date()
  // A statement may contain a key only once: the last record of a key wins.
  const rows = new Map<string, Row>()
  let skipped = 0
  for (const record of data) {
    const read = player.safeParse(record)
    if (read.success) rows.set(read.data.User_id, rowOf(read.data, updatedAt))
    else skipped += 1
  }
  await upsert([...rows.values()])
  response.json({ upserted: rows.size, skipped })
})

async function upsert(rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = Object.keys(first)
  const rowsMax = Math.floor(PARAMETERS_MAX / columns.length)
  await db.transaction(async (transaction) => {
    for (let from = 0; from < rows.length; from += rowsMax) {
      await transaction('players')
        .insert(rows.slice(from, from + rowsMax))
        .onConflict('user_id')
        .merge(columns.filter((column) => column !== 'user_id'))
    }
  })
}

type Row = ReturnType<typeof rowOf>

function rowOf(read: z.infer<typeof player>, updatedAt: Date) {
  return {
    user_id: read.User_id,
    name: read.Name,
    email: read.Email,
    phone: read.Phone,
    address: read.Add,
    date_of_birth: read.DOB,
    gender: read.Gender,
    refer_code: read.Refercode,
    state: read.State,
    district: read.District,
    referred_by: read.RefBy,
    pincode: read.Pincode,
    country: read.Country,
    updated_at: updatedAt,
  }
}

const server = app.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
