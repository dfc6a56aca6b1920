/*
 * What can be done with sessions of the console, and with codes that begin one.
 */
import { randomBytes } from 'node:crypto'
import { changeAndRecord } from '../../audit-log/record-acts.ts'
import { readerOf } from '../../database/db/reader.ts'
import type { Db } from '../../database/db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { InvalidInput, NotFound } from '../../errors.ts'
import { listValidTokens } from '../tokens/service.ts'
import { tokenDigest } from '../tokens/token-text.ts'
import { SESSION_IDLE_MS, SESSION_MS, type SessionCache } from './cache.ts'
import { SIGN_IN_CODE_LIFETIME_MS } from './sign-in-code-lifetime.ts'
import {
  deleteSession,
  insertSession,
  insertSignInCode,
  noteSessionsUsed,
  type StoredSession,
  selectSessions,
  useSignInCode,
} from './store.ts'

const SECRET_BYTES = 32
const ID_BYTES = 6

/** What a person signs in with: a valid token, by its id, or a one-time code. */
export type Credential = Readonly<{ tokenId: string } | { code: string }>
type SignInDeps = Pick<Deps, 'db' | 'now' | 'observe'>

/** A session just created: the only time its cookie is known. */
export type NewSignIn = Readonly<{ id: string; cookie: string; tokenId: string }>

/**
 * Begins a new session; `replaces` is the browser's previous session, which ends. `browser` is a name that people recognise theirs by.
 * Undefined if a code is unknown, used or expired. Errors: Unavailable.
 */
export async function signIn(
  { db, now }: SignInDeps,
  credential: Credential,
  { browser, replaces }: Readonly<{ browser: string; replaces: string | undefined }>,
  deadlineAt: number,
): Promise<NewSignIn | undefined> {
  const nowMs = now().getTime()
  const toIsoTime = (ms: number) => new Date(ms).toISOString()
  const id = randomBytes(ID_BYTES).toString('hex')
  const cookie = randomBytes(SECRET_BYTES).toString('base64url')
  const at = toIsoTime(nowMs)
  const tokenId = await changeAndRecord(db, { act: 'signed-in', at, deadlineAt }, async (tx) => {
    const verifiedTokenId =
      'code' in credential
        ? await useSignInCode(tx, { digest: digestOf(credential.code), at, sessionId: id })
        : credential.tokenId
    if (verifiedTokenId === undefined) return { response: undefined, record: undefined }
    const session = { session_id: id, digest: digestOf(cookie), token_id: verifiedTokenId, browser, created_at: at }
    await insertSession(
      tx,
      { ...session, expires_at: toIsoTime(nowMs + SESSION_MS) },
      toIsoTime(nowMs - SESSION_IDLE_MS),
    )
    if (replaces !== undefined) await deleteSession(tx, replaces)
    const detail = { browser, with: 'code' in credential ? 'link' : 'token' }
    return { response: verifiedTokenId, record: { by: verifiedTokenId, subject: id, detail } }
  })
  return tokenId === undefined ? undefined : { id, cookie, tokenId }
}

/** Ends a session, on all replicas within a second. `by` is the id of the caller's token. Errors: NotFound, Unavailable. */
export async function endSession({ db, now }: SignInDeps, id: string, by: string, deadlineAt: number): Promise<void> {
  const at = now().toISOString()
  await changeAndRecord(db, { act: 'session-ended', at, deadlineAt }, async (tx) => {
    if (!(await deleteSession(tx, id))) throw new NotFound('session not found')
    return { response: undefined, record: { by, subject: id } }
  })
}

/** A code just created: the only time its text is known. */
export type NewSignInCode = Readonly<{ code: string; tokenId: string; expiresAt: string }>

/**
 * Creates a code that signs in once, with the token `wanted`. By default that is the caller's token, whose id is `by`, or, if
 * that one is not stored, the oldest with the scope `admin`. Errors: InvalidInput if there is no such valid token; Unavailable.
 */
export async function createSignInCode(
  deps: SignInDeps,
  { wanted, by }: Readonly<{ wanted?: string | undefined; by: string }>,
  deadlineAt: number,
): Promise<NewSignInCode> {
  const { db, now } = deps
  const good = await listValidTokens(deps, deadlineAt)
  const named = good.find(({ token_id }) => token_id === (wanted ?? by))
  const oldest = wanted === undefined ? good.find(({ scopes }) => scopes.includes('admin')) : undefined
  const tokenId = (named ?? oldest)?.token_id
  if (tokenId === undefined) throw new InvalidInput('data.token_id', 'expected the ID of a valid token')
  const nowMs = now().getTime()
  const code = randomBytes(SECRET_BYTES).toString('base64url')
  const at = new Date(nowMs).toISOString()
  const expiresAt = new Date(nowMs + SIGN_IN_CODE_LIFETIME_MS).toISOString()
  await db.transaction((tx) => insertSignInCode(tx, { digest: digestOf(code), tokenId, at, expiresAt }), deadlineAt)
  return { code, tokenId, expiresAt }
}

function digestOf(secret: string): string {
  return tokenDigest(secret).toString('hex')
}

const TIMEOUT_MS = 5_000

/** The sessions that are still valid, newest first. Errors: Unavailable. */
export async function listSessions(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  deadlineAt: number,
): Promise<StoredSession[]> {
  const at = now()
  const usedSince = new Date(at.getTime() - SESSION_IDLE_MS)
  return selectSessions(readerOf(db, deadlineAt), at.toISOString(), usedSince.toISOString())
}

/** The same, including idle ones, because a recent use may be known only to the cache. Errors: Unavailable. */
export async function listUnexpiredSessions(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  deadlineAt: number,
): Promise<StoredSession[]> {
  return selectSessions(readerOf(db, deadlineAt), now().toISOString(), '-infinity')
}

/** Writes to the database which sessions were used, to the minute, so that every process knows which are idle. Errors: Unavailable; the next call tries again. */
export async function noteSessionUse(db: Db, sessions: SessionCache): Promise<void> {
  const used = sessions.used()
  if (used.size === 0) return
  // Sorted, so that processes never deadlock.
  const ids = [...used.keys()].sort()
  await db.transaction(
    (tx) =>
      noteSessionsUsed(
        tx,
        ids,
        ids.map((id) => used.get(id)!),
      ),
    performance.now() + TIMEOUT_MS,
  )
  sessions.noteStored(used)
}
