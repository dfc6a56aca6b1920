/** Chunks up to this size are copied: a small one may keep alive a buffer hundreds of times its size. */
const COPIED_BYTES_MAX = 4 * 1024
const SPARE_BYTES_MAX = 16 * 1024
const NO_BYTES = Buffer.alloc(0)

/** Bytes that arrive in chunks, however small, held until they are taken. */
export type Bytes = Readonly<{
  add: (chunk: Buffer) => void
  length: () => number
  /** All of them, in memory of their own; none are held afterwards. */
  take: () => Buffer
}>

export function createByteBuffer(): Bytes {
  let parts: Buffer[] = []
  let length = 0
  /** Memory for small chunks; `used` bytes of it are not yet among the parts. */
  let spare: Buffer = NO_BYTES
  let used = 0

  function close(): void {
    if (used > 0) parts.push(spare.subarray(0, used))
    spare = spare.subarray(used)
    used = 0
  }

  return {
    add: (chunk) => {
      length += chunk.length
      if (chunk.length > COPIED_BYTES_MAX) {
        close()
        parts.push(chunk)
        return
      }
      if (used + chunk.length > spare.length) {
        close()
        // The first is just as large as the chunk: most bodies have only one.
        spare = Buffer.allocUnsafeSlow(Math.min(SPARE_BYTES_MAX, length))
      }
      used += chunk.copy(spare, used)
    },
    length: () => length,
    take: () => {
      if (parts.length === 0 && used === spare.length) {
        const only = spare
        spare = NO_BYTES
        used = 0
        length = 0
        return only
      }
      close()
      const all = Buffer.allocUnsafeSlow(length)
      let at = 0
      for (const part of parts) at += part.copy(all, at)
      parts = []
      length = 0
      return all
    },
  }
}
