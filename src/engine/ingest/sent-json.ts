import { isUtf8 } from 'node:buffer'
import { InvalidInput } from '../../errors.ts'

/** Some of the records of a request, either as their comma-separated JSON from the body, or as values. */
export type SentChunk = Buffer | Uint8Array<ArrayBuffer> | readonly unknown[]

/** The records of a chunk. Errors: InvalidInput with path `body`. */
export function recordsIn(chunk: SentChunk): readonly unknown[] {
  if (!(chunk instanceof Uint8Array)) return chunk
  const text = utf8(chunk)
  return parseJson(`[${text}]`) as unknown[]
}

/** The value of a body of JSON; undefined for an empty one. Errors: InvalidInput with path `body`. */
export function valueIn(bytes: Uint8Array): unknown {
  const text = utf8(bytes)
  if (text.startsWith('\ufeff')) throw new InvalidInput('body', 'expected JSON without a byte order mark')
  return text === '' ? undefined : parseJson(text)
}

/** Decodes UTF-8. Errors: InvalidInput with path `body`. */
export function utf8(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new InvalidInput('body', 'expected UTF-8')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** The value of a JSON text. Errors: InvalidInput with path `body`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notJson()
  }
}

export function notJson(): InvalidInput {
  return new InvalidInput('body', 'invalid JSON')
}
