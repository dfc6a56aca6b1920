/*
 * What the measurements share: a service in a process of its own, medians, and the shape of a row of the table.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'

export type Database = 'embedded' | 'postgres'

/** One line of the table: ours beside its floor, both measured in this run. */
export type Figure = Readonly<{
  figure: string
  database: Database | 'none'
  unit: string
  floor: number
  ours: number
  ratio: number
  note: string
}>

export type RunningService = Readonly<{ url: string; token: string; stop: () => Promise<void> }>

const MAIN = new URL('../src/cli/main.ts', import.meta.url).pathname

/** Starts the service as a user would, on an empty database, and answers when it is ready. */
export async function startService(databaseUrl: string | undefined): Promise<RunningService> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-bench-'))
  const env = {
    ...process.env,
    PORT: '0',
    LAUREL_DATA: directory,
    LOG_FORMAT: 'json',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  }
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
      const started = /"url":"([^"]+)"/.exec(printed)
      if (started !== null) resolve(started[1]!)
    })
    child.once('exit', (code) => reject(new Error(`the service ended with code ${code}: ${printed}`)))
  })
  return {
    url,
    token: readFileSync(join(directory, 'token'), 'utf8').trim(),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Runs two measurements in turn, `runs` times each, and answers the median of each. */
export async function alternate(
  runs: number,
  floor: () => Promise<number>,
  ours: () => Promise<number>,
): Promise<{ floor: number; ours: number }> {
  const measured: { floor: number[]; ours: number[] } = { floor: [], ours: [] }
  for (let run = 0; run < runs; run += 1) {
    measured.floor.push(await floor())
    measured.ours.push(await ours())
  }
  return { floor: median(measured.floor), ours: median(measured.ours) }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export function aFigure(parts: Omit<Figure, 'ratio'>): Figure {
  return { ...parts, ratio: parts.ours / parts.floor }
}

export function machine(): string {
  return `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}, ${process.platform} ${process.arch}`
}

/** A player of the wire: 13 fields, about 300 bytes of JSON. */
export function aPlayer(index: number) {
  return {
    User_id: `user-${String(index).padStart(8, '0')}`,
    Name: `Customer ${index}`,
    Email: `customer.${index}@example.com`,
    Phone: `09${String(index).padStart(8, '0')}`,
    Add: `${index % 300} Harbour Road`,
    DOB: `${String((index % 28) + 1).padStart(2, '0')}-${String((index % 12) + 1).padStart(2, '0')}-${1950 + (index % 50)}`,
    Gender: index % 2 === 0 ? 'female' : 'male',
    Refercode: `REF${index}`,
    State: 'Kerala',
    District: 'Ernakulam',
    RefBy: '',
    Pincode: String(680_000 + (index % 1000)),
    Country: 'India',
  }
}

export async function post(service: RunningService, path: string, body: string): Promise<unknown> {
  const answer = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', token: service.token },
    body,
  })
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
