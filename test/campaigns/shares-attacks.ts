/*
 * The attacks of the shares campaign, in a thread of their own: each uses only what one token, or none, may do.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

export type AttackName = (typeof ATTACK_NAMES)[number]
export const ATTACK_NAMES = ['bodies', 'uploads', 'pipelined', 'test-orders', 'simulations', 'diffs', 'jobs'] as const

/** The service, the token of the attacker, and how much of the attack: 1 is all of it. */
export type Attack = Readonly<{ name: AttackName; url: string; token: string; share: number }>

const open: Socket[] = []

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
async function repeat({ url, token }: Attack, count: number, path: string, body: unknown): Promise<void> {
  const text = JSON.stringify(body)
  const headers = { token, 'content-type': 'application/json' }
  const loop = async (): Promise<never> => {
    for (;;) {
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: text }).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => undefined)
      if (answer?.status !== 200) await new Promise((resolve) => setTimeout(resolve, 20))
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
const lines = Array.from({ length: LINES }, (_, n) => ({ product_sku_id: `s-${n}`, qty: '1', amount: '1' }))

const ATTACKS: Readonly<Record<AttackName, (attack: Attack) => Promise<void>>> = {
  /** Bodies that are announced, and of which one byte arrives. */
  bodies: async ({ url, token, share }) => {
    for (const socket of await connections(url, Math.ceil(830 * share)))
      socket.write(`${head('POST', '/api/predictions/orders', token, 200 * 1024)}{`)
  },
  /** Two large uploads that arrive as slowly as the service permits. */
  uploads: async ({ url, token }) => {
    for (const socket of await connections(url, 2)) {
      socket.write(`${head('POST', '/api/integration/players', token, 90 * 2 ** 20)}{"data":[`)
      setInterval(() => socket.write(' '.repeat(66 * 1024)), 1_000)
    }
  },
  /** Requests without a token whose answers nobody reads. */
  pipelined: async ({ url, share }) => {
    const requests = 'GET /openapi.json HTTP/1.1\r\nhost: laurel\r\n\r\n'.repeat(2_000)
    for (const socket of await connections(url, Math.ceil(1_000 * share))) {
      socket.pause()
      socket.write(requests)
    }
  },
  'test-orders': async (attack) => {
    const cases = {
      cases: [
        {
          name: 'many',
          orders: Array.from({ length: 40 }, (_, n) => ({
            order_id: `o-${n}`,
            total_amount: String(LINES),
            products: lines,
          })),
        },
      ],
    }
    await repeat(attack, 1, '/api/admin/programs/check', { data: { source: PROGRAM, cases: JSON.stringify(cases) } })
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
    await repeat(attack, 16, '/api/admin/jobs', { data: { kind: 'verify' } })
  },
}

if (parentPort !== null) {
  const attack = workerData as Attack
  await ATTACKS[attack.name](attack)
  parentPort.once('message', () => {
    for (const socket of open) socket.destroy()
    process.exit()
  })
  parentPort.postMessage('under way')
}
