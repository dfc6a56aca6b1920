/*
 * A database as PGlite makes it, kept in one file: to write it out takes a fortieth of the processor time of making it
 * (docs/decisions/0119-first-starts.md). The file is compressed, with a checksum over everything.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import project from '../../../package.json' with { type: 'json' }

const KEPT = `../../../node_modules/.cache/laurel/fresh-database-${project.dependencies['@electric-sql/pglite']}`

/** Where `npm ci` keeps a fresh database: with the packages, for the one version of PGlite that made it. */
export const freshDatabaseFile = fileURLToPath(new URL(KEPT, import.meta.url))

/** Paths below the database's directory with their contents, null for a directory, which comes before what it holds. */
type Packed = (readonly [path: string, content: Uint8Array | null])[]

/** Keeps the closed database in `directory` as `file`, which is there as a whole or not at all. */
export function packDatabase(directory: string, file: string): void {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const packed: Packed = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return [relative(directory, path), entry.isDirectory() ? null : readFileSync(path)]
  })
  packed.sort(([one], [other]) => (one < other ? -1 : 1))
  const bytes = zstdCompressSync(serialize(packed), { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.${process.pid}`, bytes)
  renameSync(`${file}.${process.pid}`, file)
}

/** Writes the database kept in `file` into an empty directory, not yet on the disk. Writes nothing where there is none, or it is damaged. */
export function unpackDatabase(file: string, directory: string): void {
  for (const [path, content] of readPacked(file)) {
    if (content === null) mkdirSync(join(directory, path), { mode: 0o700 })
    else writeFileSync(join(directory, path), content, { mode: 0o600 })
  }
}

function readPacked(file: string): Packed {
  try {
    return deserialize(zstdDecompressSync(readFileSync(file))) as Packed
  } catch {
    return [] // PGlite then makes the database itself.
  }
}
