/*
 * Loaded into a process by `--import`: while the file named by FULL_DISK exists, no other file can grow, as on a full disk. Writing over what is there
 * succeeds.
 */
import fs from 'node:fs'

const { write, writev, writeSync } = fs
const flag = process.env.FULL_DISK!

const noSpace = () =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28, syscall: 'write' })

fs.writeSync = ((fd: number, bytes: Uint8Array, offset: number, length: number, position: number | null) => {
  const grows = fd > 2 && (position === null || position + length > fs.fstatSync(fd).size)
  if (grows && fs.existsSync(flag)) throw noSpace()
  return writeSync(fd, bytes, offset, length, position)
}) as typeof fs.writeSync

/** Streams write with these, behind the end of their file. */
for (const [name, act] of Object.entries({ write, writev }))
  Object.assign(fs, {
    [name]: (fd: number, ...rest: readonly unknown[]) => {
      const isFull = fs.existsSync(flag)
      const done = rest.at(-1) as (error: Error) => void
      if (isFull) process.nextTick(() => done(noSpace()))
      else Reflect.apply(act, fs, [fd, ...rest])
    },
  })
