/*
 * Which ids may have been added, in two to four bytes for each: a Bloom filter that grows by adding filters of twice the size.
 */

const FIRST_IDS = 2 ** 16
/** Bits for each id, and how many of them it sets: fewer than 1 in 1,000 other ids are taken for one that was added. */
const [ID_BITS, ID_HASHES] = [16, 7]

export type IdFilter = Readonly<{
  add: (id: string) => void
  /** False: the id was never added. True: it was, or seldom it was not. */
  mayHave: (id: string) => boolean
}>

/** An empty filter. */
export function createIdFilter(): IdFilter {
  const layers = [createLayer(FIRST_IDS)]
  return {
    add: (id) => {
      const { first, step } = hashesOf(id)
      if (layers.some((layer) => layer.has(first, step))) return
      if (layers.at(-1)!.isFull()) layers.push(createLayer(FIRST_IDS * 2 ** layers.length))
      layers.at(-1)!.add(first, step)
    },
    mayHave: (id) => {
      const { first, step } = hashesOf(id)
      return layers.some((layer) => layer.has(first, step))
    },
  }
}

/** A filter for so many ids, a power of two. */
function createLayer(idsMax: number) {
  const words = new Uint32Array((idsMax * ID_BITS) / 32)
  const mask = idsMax * ID_BITS - 1
  let ids = 0
  return {
    isFull: () => ids >= idsMax,
    add: (first: number, step: number): void => {
      ids += 1
      for (let n = 0, bit = first; n < ID_HASHES; n += 1, bit += step) {
        const place = bit & mask
        words[place >>> 5]! |= 1 << (place & 31)
      }
    },
    has: (first: number, step: number): boolean => {
      for (let n = 0, bit = first; n < ID_HASHES; n += 1, bit += step) {
        const place = bit & mask
        if ((words[place >>> 5]! & (1 << (place & 31))) === 0) return false
      }
      return true
    },
  }
}

/** Two hashes of 30 bits; the second is odd, so that the places it leads to differ. */
function hashesOf(id: string): Readonly<{ first: number; step: number }> {
  let a = 0x811c9dc5
  let b = 0x9747b28c
  for (let index = 0; index < id.length; index += 1) {
    const code = id.charCodeAt(index)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x5bd1e995)
    b ^= b >>> 15
  }
  a ^= a >>> 16
  a = Math.imul(a, 0x85ebca6b)
  a ^= a >>> 13
  return { first: a & 0x3fffffff, step: (b & 0x3fffffff) | 1 }
}
