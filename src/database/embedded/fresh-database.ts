/*
 * A freshly initialised PGlite database, packed into one file: unpacking it takes a fortieth of the processor time of initialising one
 * (docs/decisions/0115-embedded-database.md). The file is compressed, with a checksum over its content.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import project from '../../../package.json' with { type: 'json' }

const NAME = `fresh-database-${project.dependencies['@electric-sql/pglite']}`
const pathOf = (place: string) => fileURLToPath(new URL(place + NAME, import.meta.url))
const inPackage = pathOf('./')

/** A fresh database, made by the exact version of PGlite: `npm ci` puts it beside the packages, and a package carries it beside this file. */
export const freshDatabaseFile = existsSync(inPackage) ? inPackage : pathOf('../../../node_modules/.cache/laurel/')

/** Paths relative to the database's directory with their contents; null for a directory, which precedes its contents. */
type Packed = (readonly [path: string, content: Uint8Array | null])[]

/** Packs the closed database in `directory` into `file`, atomically. */
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

/** Unpacks `file` into an empty directory, without syncing. Writes nothing if the file is missing or damaged. */
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
    return [] // PGlite then creates the database itself.
  }
}
