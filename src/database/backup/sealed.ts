/*
 * A backup as a file: its text, compressed, and at the end a digest of every byte before, in a frame that Zstandard skips. `zstd -d` reads it.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { constants, createZstdDecompress, zstdCompressSync } from 'node:zlib'
import { OperatorError } from '../../errors.ts'

const DIGEST_BYTES = 32
/** The magic number of a skippable frame, and the size of what follows (RFC 8878, 3.1.2). */
const SEAL_HEAD = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, DIGEST_BYTES, 0, 0, 0])
/** What every Zstandard frame begins with. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const SEAL_BYTES = SEAL_HEAD.length + DIGEST_BYTES
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 }
const CHUNK_BYTES = 2 ** 20

/**
 * The bytes of a file with this text, each of whose parts becomes a frame of its own. This thread compresses them: one of Node's pool would not have the
 * low priority of a job.
 */
export async function* seal(text: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256')
  for await (const part of text) {
    const frame = zstdCompressSync(part, { params: PARAMS })
    digest.update(frame)
    yield frame
  }
  yield Buffer.concat([SEAL_HEAD, digest.digest()])
}

/**
 * The text in the bytes of a file. The digest is at the end: nobody may keep what was read before. Errors: OperatorError if a byte is missing, added or
 * another one; those of `bytes`.
 */
export async function* unseal(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decompressing = createZstdDecompress({ chunkSize: CHUNK_BYTES })
  const source = Readable.from(withoutSeal(bytes), { objectMode: true, highWaterMark: 1 })
  source.on('error', (error) => decompressing.destroy(error))
  decompressing.setEncoding('utf8')
  try {
    for await (const text of source.pipe(decompressing)) yield text
  } catch (error) {
    if (/^ZSTD_|^Z_/.test((error as NodeJS.ErrnoException).code ?? '')) throw damaged(error)
    throw error
  }
}

async function* withoutSeal(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256')
  let held = Buffer.alloc(0)
  let isBackup = false
  for await (const chunk of bytes) {
    held = Buffer.concat([held, chunk])
    isBackup ||= held.subarray(0, MAGIC.length).equals(MAGIC)
    if (!isBackup && held.length >= MAGIC.length) break
    const ready = held.subarray(0, Math.max(0, held.length - SEAL_BYTES))
    held = held.subarray(ready.length)
    if (ready.length === 0) continue
    digest.update(ready)
    yield ready
  }
  if (!isBackup) throw new OperatorError('expected a file made by laurel backup')
  if (!held.equals(Buffer.concat([SEAL_HEAD, digest.digest()]))) throw damaged()
}

const damaged = (cause?: unknown) =>
  new OperatorError('the backup is damaged: it is not complete, or a part of it was changed', { cause })
