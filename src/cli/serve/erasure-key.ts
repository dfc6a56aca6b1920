import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError, Unavailable } from '../../errors.ts'
import type { ErasureKey } from '../../ledger/erasures.ts'

const BYTES = 32

/**
 * The key of the digests of erased ids: the setting, otherwise a file beside the embedded database, which the first erasure makes. Errors: OperatorError
 * if the file cannot be read.
 */
export function openErasureKey(
  { erasureKey, dataDirectory }: Pick<Config, 'erasureKey' | 'dataDirectory'>,
  isDirectory: boolean,
): ErasureKey {
  const path = join(dataDirectory, 'erasure-key')
  let key = erasureKey === undefined ? (isDirectory ? readKey(path) : undefined) : Buffer.from(erasureKey)
  return {
    find: () => key,
    make: () => {
      if (key !== undefined) return key
      if (!isDirectory)
        throw new Unavailable(
          'no player can be erased yet: set LAUREL_ERASURE_KEY to a secret text of 32 characters or more, the same for all services',
        )
      const text = randomBytes(BYTES).toString('base64url')
      try {
        writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o600, flush: true })
        renameSync(`${path}.new`, path)
      } catch (error) {
        throw new Unavailable(`no player can be erased: cannot write ${path}`, { cause: error })
      }
      key = Buffer.from(text)
      return key
    },
  }
}

function readKey(path: string): Buffer | undefined {
  try {
    return Buffer.from(readFileSync(path, 'utf8').trim())
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new OperatorError(`cannot read ${path} (${code}): players were erased with the key in it`, { cause: error })
  }
}
