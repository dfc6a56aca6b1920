import assert from 'node:assert/strict'
import test from 'node:test'
import { readerOf } from '../../src/database/db/reader.ts'
import type { Db } from '../../src/database/db/transaction.ts'
import type { Row } from '../../src/engine/ingest/batch.ts'
import { playerKind } from '../../src/engine/ingest/player-kind.ts'
import { productKind } from '../../src/engine/ingest/product.ts'
import { SHOP_DEFAULTS } from '../../src/engine/ingest/shop-settings.ts'
import { readSnapshot } from '../../src/ledger/snapshots.ts'
import {
  findPlayer,
  insertPlayerRows,
  listPlayerFingerprints,
  upsertPlayerRows,
} from '../../src/resources/players/store.ts'
import { insertProductRows, listProductFingerprints, upsertProductRows } from '../../src/resources/products/store.ts'
import { insertFirstProgram, selectPrograms } from '../../src/resources/programs/store.ts'
import { newToken } from '../../src/resources/tokens/service.ts'
import { insertFirstToken, insertToken, markTokenRevoked, selectTokens } from '../../src/resources/tokens/store.ts'
import { aPlayer, aProduct } from '../support/builders.ts'
import { forEachDatabase } from '../support/databases.ts'

const NOW = '2026-06-01T12:00:00.000Z'
const soon = () => performance.now() + 60_000
const kind = playerKind(new Date(NOW), SHOP_DEFAULTS)

const players = (...raw: object[]) => raw.map((one, position) => kind.accept(one, 'data', position))
const products = (...raw: object[]) => raw.map((one, position) => productKind.accept(one, 'data', position))

forEachDatabase((driver, openTestDb) => {
  test('an upsert returns what it wrote: new and changed records, not unchanged ones', async (t) => {
    const db = await openTestDb(t)
    const write = (...raw: object[]) => db.transaction((tx) => upsertPlayerRows(tx, players(...raw), NOW), soon())
    const [a, b, c] = ['a', 'b', 'c'].map((User_id) => aPlayer({ User_id }))
    assert.deepEqual(await write(), [])
    assert.deepEqual(await write(a!, b!), [
      { key: 'a', inserted: true },
      { key: 'b', inserted: true },
    ])
    assert.deepEqual(await write(a!, b!), [])
    assert.deepEqual(await write({ ...a!, Name: 'New' }, b!, c!), [
      { key: 'a', inserted: false },
      { key: 'c', inserted: true },
    ])
    const prices = (...amounts: string[]) =>
      db.transaction(
        (tx) =>
          upsertProductRows(
            tx,
            products(...amounts.map((amount, index) => aProduct({ product_sku_id: `p${index}`, amount }))),
            NOW,
          ),
        soon(),
      )
    assert.equal((await prices('1', '999999999999999.9999', '0')).length, 3)
    assert.deepEqual(await prices('1.0', '999999999999999.9999', '0.0001'), [{ key: 'p2', inserted: false }])
  })

  test('many new records are stored as few are, whatever their texts contain', async (t) => {
    const db = await openTestDb(t)
    const odd = ['\\', '\\.', '\\N', 'a\tb', 'a\nb', 'a\r\nb', '\u0001', '"', "'", 'ä\u{1f600}', '{}', ' x ', '\\\\t']
    const many = Array.from({ length: 300 }, (_, index) =>
      aPlayer({ User_id: `u\\${index}`, Name: `x${odd[index % odd.length]}`, Add: odd[(index + 1) % odd.length] }),
    )
    const select = 'select to_jsonb(p) as player from players p order by user_id'
    const write = async (put: typeof insertPlayerRows | typeof upsertPlayerRows, rows: Row[]) => {
      await db.transaction(async (tx) => {
        await tx.query('delete from players')
        await put(tx, rows, NOW)
      }, soon())
      return readerOf(db, soon()).query(select)
    }
    const rows = players(...many).sort((a, b) => (a.key < b.key ? -1 : 1))
    assert.deepEqual(await write(insertPlayerRows, rows), await write(upsertPlayerRows, rows))
    const [one] = await readerOf(db, soon()).query<{ name: string }>("select name from players where user_id = 'u\\3'")
    assert.equal(one!.name, 'xa\tb')
  })

  test('an insert of many detects records that another request has inserted, and writes the others', async (t) => {
    const db = await openTestDb(t)
    const row = (index: number, amount: number) => aProduct({ product_sku_id: `p${1000 + index}`, amount })
    const act = <T>(work: (tx: Parameters<Parameters<Db['transaction']>[0]>[0]) => Promise<T>) =>
      db.transaction(work, soon())
    await act((tx) => insertProductRows(tx, products(row(7, 1), row(8, 2)), NOW))
    const many = products(...Array.from({ length: 400 }, (_, index) => row(index, 2)))
    assert.deepEqual(await act((tx) => insertProductRows(tx, many, NOW)), [
      { key: 'p1007', isChanged: true },
      { key: 'p1008', isChanged: false },
    ])
    assert.deepEqual(
      await readerOf(db, soon()).query('select count(*) as stored, min(price) = max(price) as equal from products'),
      [{ stored: 400, equal: true }],
    )
    assert.deepEqual(await act((tx) => insertProductRows(tx, products(row(500, 1), row(8, 3)), NOW)), [
      { key: 'p1008', isChanged: true },
    ])
  })

  test('fingerprints are read back as written, so that a dry run sees what an upsert would', async (t) => {
    const db = await openTestDb(t)
    const sent = players(aPlayer({ User_id: 'a' }), aPlayer({ User_id: 'b', Name: "O'Brien \\ {} ü" }))
    const prices = products(aProduct({ amount: '10.50' }), aProduct({ product_sku_id: 'free', amount: 0 }))
    await db.transaction(async (tx) => {
      await upsertPlayerRows(tx, sent, NOW)
      await upsertProductRows(tx, prices, NOW)
    }, soon())
    const reader = readerOf(db, soon())
    const [a, b] = sent.map(({ fingerprint }) => fingerprint)
    const [tea, free] = prices.map(({ fingerprint }) => fingerprint)
    assert.deepEqual(await listPlayerFingerprints(reader, ['b', 'nobody', 'a', 'b']), [b, undefined, a, b])
    assert.deepEqual(await listProductFingerprints(reader, ['tea', 'free', 'nothing']), [tea, free, undefined])
    assert.deepEqual(await listProductFingerprints(reader, []), [])
  })

  test('fingerprints match their keys even if JavaScript and the database order characters differently', async (t) => {
    const db = await openTestDb(t)
    const keys = ['\u{1f375}', '\uff21', 'a', '\ue000', '\u{10000}', 'B', '\u00e9']
    const sent = players(...keys.map((key) => aPlayer({ User_id: key })))
    await db.transaction(
      (tx) =>
        upsertPlayerRows(
          tx,
          sent.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
          NOW,
        ),
      soon(),
    )
    const known = new Map(sent.map(({ key, fingerprint }) => [key, fingerprint]))
    const asked = [...keys, 'nobody', '\u{1f376}', ...keys]
    assert.deepEqual(
      await listPlayerFingerprints(readerOf(db, soon()), asked),
      asked.map((key) => known.get(key)),
    )
  })

  test('a player is read back as stored', async (t) => {
    const db = await openTestDb(t)
    const sent = players(aPlayer({ User_id: 'b', Name: "O'Brien \\ {} ü" }))
    await db.transaction((tx) => upsertPlayerRows(tx, sent, NOW), soon())
    const reader = readerOf(db, soon())
    assert.equal((await findPlayer(reader, 'b'))!.name, "O'Brien \\ {} ü")
    assert.equal(await findPlayer(reader, 'nobody'), undefined)
  })

  test('the inputs of many predictions are read at once, each with its own', async (t) => {
    const db = await openTestDb(t)
    await db.transaction(async (tx) => {
      await upsertPlayerRows(tx, players(aPlayer({ User_id: 'a' })), NOW)
      await upsertProductRows(tx, products(aProduct({ product_sku_id: 'tea', amount: '4.5' })), NOW)
    }, soon())
    const asked = { orderId: 'o', code: 'ASHA', skus: ['tea', 'cup'] }
    const known = await readSnapshot(readerOf(db, soon()), [
      { ...asked, userId: 'a' },
      { ...asked, userId: 'b', skus: [] },
      { ...asked, userId: 'a', skus: ['tea', 'tea'] },
    ])
    assert.deepEqual([known.profiles.has('a'), known.profiles.has('b')], [true, false])
    assert.deepEqual(known.catalogue, new Map([['tea', 45_000n]]))
    assert.deepEqual(known.codes.get('ASHA'), [{ referrerId: 'a' }])
    assert.equal(known.accounts.has('a') || known.orders.has('o'), false)
  })

  test('the first program and the first token are written once, however many processes start concurrently', async (t) => {
    const db = await openTestDb(t)
    const first = (name: string) =>
      db.transaction((tx) => insertFirstProgram(tx, { name, note: '', source: name, at: NOW }), soon())
    await Promise.all(['A', 'B', 'C'].map(first))
    const stored = await selectPrograms(readerOf(db, soon()))
    assert.deepEqual(
      stored.map(({ version, holds_from, published_at }) => [version, holds_from, published_at]),
      [[1, '-infinity', NOW]],
    )
    const tokens = Array.from({ length: 4 }, () => newToken('first', ['admin'], new Date(NOW)).stored)
    const written = await Promise.all(
      tokens.map((token) => db.transaction((tx) => insertFirstToken(tx, token), soon())),
    )
    assert.equal(written.filter(Boolean).length, 1)
    assert.equal((await selectTokens(readerOf(db, soon()))).length, 1)
  })

  test('revoking a token again changes nothing, and keeps the first time', async (t) => {
    const db = await openTestDb(t)
    const { stored } = newToken('shop', ['predict', 'players'], new Date(NOW), '2027-01-01T00:00:00.000Z')
    const act = <T>(work: (tx: Parameters<Parameters<Db['transaction']>[0]>[0]) => Promise<T>) =>
      db.transaction(work, soon())
    await act((tx) => insertToken(tx, stored))
    assert.equal(await act((tx) => markTokenRevoked(tx, stored.id, NOW)), true)
    assert.equal(await act((tx) => markTokenRevoked(tx, stored.id, '2026-07-01T00:00:00.000Z')), false)
    assert.equal(await act((tx) => markTokenRevoked(tx, 'unknown', NOW)), undefined)
    const [token] = await selectTokens(readerOf(db, soon()))
    assert.deepEqual(token, {
      token_id: stored.id,
      name: 'shop',
      digest: stored.digest,
      scopes: ['predict', 'players'],
      created_at: NOW,
      expires_at: '2027-01-01T00:00:00.000Z',
      revoked_at: NOW,
      last_used_at: null,
    })
    assert.equal(driver, db.driver)
  })
})
