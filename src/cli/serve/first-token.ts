import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, readSecret } from '../../config.ts'
import { OperatorError } from '../../errors.ts'
import { listTokens, listValidTokens, newToken } from '../../resources/tokens/service.ts'
import { insertFirstToken } from '../../resources/tokens/store.ts'
import { isWholeToken } from '../../resources/tokens/token-text.ts'
import { tokenPath } from '../data-directory.ts'
import type { Service } from './service.ts'

const TIMEOUT_MS = 10_000

/**
 * Creates the first token of an empty database, or takes the one that the settings give (decision 60). Returns the path of its file,
 * also if an earlier start created it and left it as a draft; undefined if the settings gave it, or if there are tokens and no draft of a valid
 * one. Errors: OperatorError, Unavailable.
 *
 * The file is written first, as a draft named after the token's id: if the only token in the database were one that nobody can read, nobody
 * could ever call the service. A start that was cut off in between, or never learnt the outcome of its COMMIT, left a draft: the next start
 * keeps it if its token is valid, and removes it if not.
 */
export async function makeFirstToken(
  config: Config,
  service: Pick<Service, 'deps' | 'db' | 'refreshTokens'>,
): Promise<string | undefined> {
  const path = await storeFirstToken(config, service)
  // In any case: another service may have stored it since this one loaded the tokens.
  await service.refreshTokens()
  return path
}

async function storeFirstToken(
  config: Config,
  { deps, db }: Pick<Service, 'deps' | 'db'>,
): Promise<string | undefined> {
  const deadlineAt = performance.now() + TIMEOUT_MS
  // If there are tokens, nothing is written: the directory may be read-only.
  const hasTokens = (await listTokens(deps, deadlineAt)).length > 0
  if (hasTokens && draftsIn(config).length === 0) return undefined
  const configured = hasTokens ? undefined : readConfiguredToken(config)
  if (configured !== undefined) {
    const { stored } = newToken('first', ['admin'], deps.now(), undefined, configured)
    await db.transaction((tx) => insertFirstToken(tx, stored), deadlineAt)
    return undefined
  }
  try {
    const { issued, stored } = newToken('first', ['admin'], deps.now())
    mkdirSync(config.dataDirectory, { recursive: true, mode: 0o700 })
    writeFileSync(`${tokenPath(config)}.${issued.id}`, `${issued.token}\n`, { mode: 0o600, flush: true })
    await db.transaction((tx) => insertFirstToken(tx, stored), deadlineAt)
    const valid = await listValidTokens(deps, deadlineAt)
    const isKept = settleDrafts(config, new Set(valid.map(({ token_id }) => token_id)))
    return isKept ? tokenPath(config) : undefined
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new OperatorError(`cannot write the first token into ${config.dataDirectory} (${code}): check LAUREL_DATA`, {
      cause: error,
    })
  }
}

/** The first token that the settings give. Errors: OperatorError if its file cannot be read, or contains something else. */
function readConfiguredToken({ firstToken, firstTokenFile: file }: Config): string | undefined {
  if (file === undefined) return firstToken
  if (firstToken !== undefined)
    throw new OperatorError('LAUREL_FIRST_TOKEN_FILE and LAUREL_FIRST_TOKEN cannot be combined: unset one')
  const text = readSecret('LAUREL_FIRST_TOKEN_FILE', file)
  if (isWholeToken(text)) return text
  throw new OperatorError(
    `LAUREL_FIRST_TOKEN_FILE is "${file}", expected a file with a token as \`laurel token create\` shows it`,
  )
}

/** The drafts of first tokens in the data directory, by the id of each. */
function draftsIn(config: Config): { id: string; path: string }[] {
  const names = existsSync(config.dataDirectory) ? readdirSync(config.dataDirectory) : []
  return names.flatMap((name) => {
    const id = /^token\.([0-9a-f]{12})$/.exec(name)?.[1]
    return id === undefined ? [] : [{ id, path: join(config.dataDirectory, name) }]
  })
}

/** Renames the draft whose token the database knows to the token file, and removes the others. Returns whether there was one. */
function settleDrafts(config: Config, storedIds: ReadonlySet<string>): boolean {
  let isKept = false
  for (const { id, path } of draftsIn(config)) {
    if (storedIds.has(id)) keepDraft(path, tokenPath(config))
    else rmSync(path, { force: true }) // Its token can no longer become the first: there is one.
    isKept ||= storedIds.has(id)
  }
  return isKept
}

function keepDraft(draft: string, path: string): void {
  try {
    renameSync(draft, path)
  } catch (error) {
    // Another service that shares the directory did the same first.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
