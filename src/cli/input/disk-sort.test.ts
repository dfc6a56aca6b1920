import assert from 'node:assert/strict'
import { fstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { createDiskSort } from './disk-sort.ts'

/** More than the sort keeps in memory. */
const BYTES = 64 * 1024 * 1024
const VALUE = 'x'.repeat(64 * 1024)

test('more is sorted than fits into memory; its file is readable by the owner only, and has no name that could be left behind', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-sort-'))
  const former = process.env.SQLITE_TMPDIR
  process.env.SQLITE_TMPDIR = directory
  t.after(() => {
    if (former === undefined) delete process.env.SQLITE_TMPDIR
    else process.env.SQLITE_TMPDIR = former
    rmSync(directory, { recursive: true })
  })
  const count = BYTES / VALUE.length
  using sort = createDiskSort<{ place: number; value: string }>()
  for (let place = count - 1; place >= 0; place -= 1) sort.add(['', '', place], { place, value: VALUE })
  assert.deepEqual(readdirSync(directory), [])
  if (process.platform === 'linux') {
    const [file] = openFilesIn(directory)
    const { mode, size } = fstatSync(file!)
    assert.equal(mode & 0o777, 0o600)
    assert(size > BYTES / 4, `${size} bytes are on disk`)
  }
  let expected = 0
  for (const { place } of sort.sorted()) assert.equal(place, expected++)
  assert.equal(expected, count)
})

/** The descriptors of files that this process has open in a directory, also after they were deleted. */
function openFilesIn(directory: string): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => targetOf(descriptor).startsWith(`${directory}/`))
}

/** Empty for a descriptor that was closed meanwhile. */
function targetOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return ''
  }
}
