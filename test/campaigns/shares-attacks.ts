/*
 * The attacks of the shares campaign, in a thread of their own: each uses only what one token, or none, may do.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

export type AttackName = (typeof ATTACK_NAMES)[number]
export const ATTACK_NAMES = [
  'bodies',
  'uploads',
  'pipelined',
  'test-orders',
  'simulations',
  'diffs',
  'jobs',
  'publications',
] as const

/** The service, the token of the attacker, and how much of the attack: 1 is all of it. */
export type Attack = Readonly<{ name: AttackName; url: string; token: string; share: number }>

/** Work that was done until its limit of time or memory, and refused then. */
const LIMIT = 'at the limit'

/** How many responses of each status an attack got. */
export type ResponseCounts = Readonly<Record<string, number>>

/**
 * The statuses that each attack gets: one of `needed` at least once, which shows that it is under way and not merely refused, and otherwise only
 * those of `allowed`. Bodies and uploads get no response while they arrive; without their scope they would get one at once.
 */
const EXPECTED: Readonly<Record<AttackName, Readonly<{ needed: readonly string[]; allowed: readonly string[] }>>> = {
  bodies: { needed: [], allowed: ['408', '429', '503'] },
  uploads: { needed: [], allowed: ['408', '429', '503'] },
  pipelined: { needed: ['200'], allowed: [] },
  'test-orders': { needed: ['200', LIMIT], allowed: ['429', '503'] },
  simulations: { needed: ['200', LIMIT], allowed: ['429', '503'] },
  diffs: { needed: ['200', LIMIT], allowed: ['429', '503'] },
  jobs: { needed: ['200'], allowed: ['429', '503', LIMIT] },
  publications: { needed: ['200'], allowed: ['429', '503', LIMIT] },
}

/** Errors: the attack did something else than it should, as a token without its scope does. */
export function assertExpected(name: AttackName, responses: ResponseCounts): void {
  const { needed, allowed } = EXPECTED[name]
  const statuses = Object.keys(responses)
  const isNeededThere = needed.length === 0 || needed.some((status) => statuses.includes(status))
  if (isNeededThere && statuses.every((status) => needed.includes(status) || allowed.includes(status))) return
  const wanted = needed.length === 0 ? 'nothing' : needed.join(' or ')
  throw new Error(
    `${name}: expected answers with ${wanted}, and others only with ${allowed.join(', ') || 'nothing'}, got ${JSON.stringify(responses)}`,
  )
}

/** For the first response that shows that the attack is under way. */
const NEEDED_MS = 60_000

const open: Socket[] = []
const responses: Record<string, number> = {}
const underWay = Promise.withResolvers<void>()

function noteStatus(name: AttackName, status: string): void {
  responses[status] = (responses[status] ?? 0) + 1
  if (EXPECTED[name].needed.includes(status)) underWay.resolve()
}

/** Counts the responses on a connection that has sent one request. */
function countResponse(name: AttackName, socket: Socket): void {
  socket.once('data', (data) => noteStatus(name, String(data).split(' ', 2)[1]!))
}

async function connections(url: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname).on('error', () => undefined))
  open.push(...sockets)
  await Promise.allSettled(sockets.map((socket) => once(socket, 'connect', { signal: AbortSignal.timeout(10_000) })))
  return sockets
}

const head = (method: string, path: string, token: string, bytes: number) =>
  `${method} ${path} HTTP/1.1\r\nhost: laurel\r\ntoken: ${token}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`

/** `count` callers, each of which sends the same request again as soon as it is answered. */
async function repeat({ name, url, token }: Attack, count: number, path: string, body: unknown): Promise<void> {
  const text = JSON.stringify(body)
  const headers = { token, 'content-type': 'application/json' }
  const loop = async (): Promise<never> => {
    for (;;) {
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: text }).catch(() => undefined)
      const said = (await response?.text().catch(() => '')) ?? ''
      const isAtLimit = /this takes more than|too different to compare/.test(said)
      const isRun = !said.includes('"case_faults":[{')
      if (response !== undefined) noteStatus(name, isAtLimit ? LIMIT : isRun ? String(response.status) : 'not run')
      if (response?.status !== 200) await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  for (let caller = 0; caller < count; caller += 1) void loop()
}

const RULES = 200
const LINES = 1_000
const PROGRAM = `name: Many rules
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Member, from: 0 }] }
earn:
${Array.from({ length: RULES }, (_, n) => `  - { name: rule-${n}, when: 'order.lines.exists(l, l.qty > ${n} && l.sku != "x-${n}")', fixed: { points: 1 } }`).join('\n')}
`
const COSTLY = PROGRAM.replaceAll(/when: '.*?'/g, `when: '${Array(98).fill('1.5').join('+')} > 0.0'`)
const lines = Array.from({ length: LINES }, (_, n) => ({ product_sku_id: `s-${n}`, qty: '1', amount: '1' }))

const ATTACKS: Readonly<Record<AttackName, (attack: Attack) => Promise<void>>> = {
  /** Bodies that are announced, and of which one byte arrives. */
  bodies: async ({ name, url, token, share }) => {
    for (const socket of await connections(url, Math.ceil(830 * share))) {
      countResponse(name, socket)
      socket.write(`${head('POST', '/api/predictions/orders', token, 200 * 1024)}{`)
    }
  },
  /** Two large uploads that arrive as slowly as the service permits. */
  uploads: async ({ name, url, token }) => {
    for (const socket of await connections(url, 2)) {
      countResponse(name, socket)
      socket.write(`${head('POST', '/api/integration/players', token, 90 * 2 ** 20)}{"data":[`)
      setInterval(() => socket.write(' '.repeat(66 * 1024)), 1_000)
    }
  },
  /** Requests without a token whose responses nobody reads, but the first. */
  pipelined: async ({ name, url, share }) => {
    noteStatus(name, String((await fetch(`${url}/openapi.json`, { method: 'HEAD' })).status))
    const requests = 'GET /openapi.json HTTP/1.1\r\nhost: laurel\r\n\r\n'.repeat(2_000)
    for (const socket of await connections(url, Math.ceil(1_000 * share))) {
      socket.pause()
      socket.write(requests)
    }
  },
  'test-orders': async (attack) => {
    // YAML may repeat what it has: 40 orders of 1,000 lines are more than a body may have.
    const orders = Array.from({ length: 40 }, (_, n) => {
      const products = n === 0 ? `&lines ${JSON.stringify(lines)}` : '*lines'
      return `{ order_id: o-${n}, total_amount: '${LINES}', products: ${products}, expect: { points: 0 } }`
    })
    const cases = `cases: [{ name: many, orders: [${orders.join(', ')}] }]`
    await repeat(attack, 1, '/api/admin/programs/check', { data: { source: PROGRAM, cases } })
  },
  simulations: async (attack) => {
    const order = { user_id: 'p-1', total_amount: String(LINES), products: lines }
    await repeat(attack, 32, '/api/admin/simulations', { data: { order, under_source: PROGRAM } })
  },
  diffs: async (attack) => {
    const text = (seed: number) => Array.from({ length: 8_000 }, (_, n) => `line ${(n * seed) % 7_919}`).join('\n')
    await repeat(attack, 8, '/api/admin/programs/diff', { data: { from_source: text(31), to_source: text(17) } })
  },
  jobs: async (attack) => {
    await repeat(attack, 16, '/api/admin/jobs', { data: { kind: 'probe', source: PROGRAM } })
  },
  /** Programs that take as long to read as any that are valid, and never take effect while the campaign runs. */
  publications: async (attack) => {
    const text = `${COSTLY}${'#\n'.repeat(19_000)}`
    await repeat(attack, 8, '/api/admin/programs', { data: { source: text, from: '2099-01-01T00:00:00Z' } })
  },
}

if (parentPort !== null) {
  const attack = workerData as Attack
  await ATTACKS[attack.name](attack)
  parentPort.once('message', async () => {
    const isNeeded = EXPECTED[attack.name].needed.length > 0
    if (isNeeded) await Promise.race([underWay.promise, sleep(NEEDED_MS)])
    parentPort!.postMessage(responses satisfies ResponseCounts)
    for (const socket of open) socket.destroy()
    process.exit()
  })
}
