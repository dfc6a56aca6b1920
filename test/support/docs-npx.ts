/*
 * `npx` for the commands of documents. npm takes a second to find a program, and most of ours take less than their process does: `npx --no laurel` runs in
 * the process that is there already (run-command.ts), any other program in one of its own.
 */
import { execFileSync } from 'node:child_process'
import { constants, openSync, readFileSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { runCommand } from './run-command.ts'

/** Writes `npx` into `directory`, and answers its calls until `close`. */
export function openNpx(directory: string): { close: () => void } {
  const calls = join(directory, 'calls')
  execFileSync('mkfifo', [calls])
  writeFileSync(join(directory, 'npx'), scriptFor(calls), { mode: 0o755 })
  // Open for writing too: with no other writer, reading would end.
  const pipe = new Socket({ fd: openSync(calls, constants.O_RDWR | constants.O_NONBLOCK) })
  createInterface({ input: pipe }).on('line', response)
  return { close: () => pipe.destroy() }
}

/** A call is a directory with what a process is given, and then with what it leaves. */
const scriptFor = (calls: string) => `#!/usr/bin/env bash
PATH="$PWD/node_modules/.bin:$PATH"
if [ "$1" = --no ]; then shift; fi
[ "$1" = laurel ] || exec "$@"
shift
call=$(mktemp -d "${calls}-XXXXXX")
cat > "$call/stdin"
env -0 > "$call/env"
printf '%s\\0' "$@" > "$call/args"
mkfifo "$call/code"
exec 3<> "$call/code"
echo "$call" > "${calls}"
read -r code <&3
if [ /dev/fd/1 -ef /dev/fd/2 ]; then
  cat "$call/printed"
else
  cat "$call/stdout"
  cat "$call/stderr" >&2
fi
exit "$code"
`

async function response(call: string): Promise<void> {
  const read = (name: string) => readFileSync(join(call, name), 'utf8')
  const list = (name: string) => read(name).split('\0').slice(0, -1)
  const env = Object.fromEntries(
    list('env').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const ended = runCommand(list('args'), env, { stdin: read('stdin'), cwd: env.PWD! })
  const { code, ...output } = await ended.catch((error) => ({
    code: 70,
    stdout: '',
    stderr: `${error}`,
    printed: `${error}`,
  }))
  for (const name of ['stdout', 'stderr', 'printed'] as const) writeFileSync(join(call, name), output[name])
  writeFileSync(join(call, 'code'), `${code}\n`)
}
