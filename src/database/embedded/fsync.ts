/* PGlite's Node.js build stubs out fsync: a commit would survive the process, but not a power failure. */

import { fsyncSync } from 'node:fs'

interface OpenFile {
  readonly nfd: number
  readonly node: { readonly parent: { readonly name: string } }
}

interface NodeFiles {
  readonly stream_ops: {
    fsync?: (file: OpenFile) => number
    write(file: OpenFile, ...rest: unknown[]): number
  }
}

/** The parts of PGlite's Emscripten module that reach the disk. */
export interface ModuleWithFiles {
  readonly FS: { readonly ErrnoError: new (errno: number) => Error; readonly filesystems?: { NODEFS?: NodeFiles } }
  readonly NODEFS?: NodeFiles
}

/** What has reached the disk; updated in place. */
export interface DiskCounts {
  fsyncs: number
  /** Bytes of write-ahead log. */
  walBytes: number
}

const EIO = 29 // Emscripten's number for it

/**
 * Passes every fsync of the database on to the disk, and counts fsyncs and bytes of log written.
 * @throws {Error} If this version of PGlite does not expose its file system.
 */
export function addFsync(module: ModuleWithFiles, counts: DiskCounts): void {
  const files = module.FS.filesystems?.NODEFS ?? module.NODEFS
  if (files === undefined) throw new Error('this version of PGlite hides its file system: fsync cannot be added')
  const { write } = files.stream_ops
  files.stream_ops.write = (file, ...rest) => {
    const bytes = write(file, ...rest)
    if (file.node.parent.name === 'pg_wal') counts.walBytes += bytes
    return bytes
  }
  files.stream_ops.fsync = (file) => {
    try {
      fsyncSync(file.nfd)
    } catch {
      throw new module.FS.ErrnoError(EIO)
    }
    counts.fsyncs += 1
    return 0
  }
}
