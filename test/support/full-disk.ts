/*
 * Loaded into a service by `--import`: while the file named by FULL_DISK exists, no other file can grow, as on a full disk. Writing over what is there
 * succeeds.
 */
import fs from 'node:fs'

const { writeSync } = fs
const flag = process.env.FULL_DISK!

fs.writeSync = ((fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null) => {
  const grows = fd > 2 && (position === null || position + length > fs.fstatSync(fd).size)
  if (grows && fs.existsSync(flag))
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      errno: -28,
      syscall: 'write',
    })
  return writeSync(fd, bytes, offset, length, position)
}) as typeof fs.writeSync
