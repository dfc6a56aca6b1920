/*
 * The proxies campaign: nginx, Caddy, HAProxy, Squid, lighttpd and Varnish in front of a service, as far as they are installed, and a Prometheus that
 * scrapes it. Refusals of large bodies must arrive, everything else must arrive as it was sent, and no cache may answer for the service.
 * `npm run campaign:proxies -- --times 50` prints a line for each. Not part of `npm test`, as it needs these programs.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { anOrder, aPlayer } from '../support/builders.ts'
import { PROJECT, readDocument } from '../support/docs-blocks.ts'
import { type ServiceProcess, startService, tokenIn } from '../support/service-process.ts'
import { send } from '../support/test-app.ts'
import { eventually } from '../support/waiting.ts'

const MIB = 1024 * 1024
/** The first size is within the limits of proxies and service, and refused for its token; the second may be buffered on disk by a proxy. */
const SIZES_MIB = [4, 70] as const

type Proxy = Readonly<{
  program: string
  /** Writes its configuration into a directory and returns its arguments: it listens on port `from`, and the service on `to`. */
  argv: (directory: string, from: number, to: number) => readonly string[]
}>

/** The proxies as ops/proxies configures them, except for TLS and ports. */
const PROXIES: readonly Proxy[] = [
  {
    program: 'nginx',
    argv: (directory, from, to) => {
      const server = configured('nginx.conf')
        .replace(/listen .*;/, `listen 127.0.0.1:${from};`)
        .replace(/^ *(?:ssl_\w+|server_name) .*;\n/gm, '')
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${to}`)
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${directory}/${name};`,
      )
      const main = `daemon off; user root; pid ${directory}/pid; error_log ${directory}/error.log; events {}\n`
      writeFileSync(join(directory, 'conf'), `${main}http { access_log off; ${paths.join(' ')}\n${server}}\n`)
      return ['-c', join(directory, 'conf'), '-e', join(directory, 'error.log')]
    },
  },
  {
    program: 'caddy',
    argv: (directory, from, to) => {
      const site = configured('Caddyfile')
        .replace(/^\w\S* \{/m, `http://127.0.0.1:${from} {`)
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${to}`)
      writeFileSync(join(directory, 'Caddyfile'), `{\n\tadmin off\n}\n${site}`)
      return ['run', '--adapter', 'caddyfile', '--config', join(directory, 'Caddyfile')]
    },
  },
  {
    program: 'haproxy',
    argv: (directory, from, to) => {
      const site = configured('haproxy.cfg')
        .replace(/bind .*/, `bind 127.0.0.1:${from}`)
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${to}`)
      writeFileSync(join(directory, 'conf'), site)
      return ['-f', join(directory, 'conf'), '-db']
    },
  },
  {
    program: 'squid',
    argv: (directory, from, to) => {
      // It runs as a user of its own, which may write nowhere here.
      const none = ['pid_filename none', 'cache_log /dev/null', 'access_log none', 'netdb_filename none']
      const site = [
        `http_port 127.0.0.1:${from} accel defaultsite=laurel no-vhost`,
        `cache_peer 127.0.0.1 parent ${to} 0 no-query originserver`,
        'http_access allow all',
        named('request_entities on'),
      ]
      writeFileSync(join(directory, 'conf'), `${[...none, ...site].join('\n')}\n`)
      return ['-N', '-f', join(directory, 'conf')]
    },
  },
  {
    program: 'lighttpd',
    argv: (directory, from, to) => {
      const site = [
        `server.document-root = "${directory}"`,
        `server.upload-dirs = ("${directory}")`,
        'server.bind = "127.0.0.1"',
        `server.port = ${from}`,
        'server.modules = ("mod_proxy")',
        `proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${to})))`,
        named('server.http-parseopts = ("method-get-body" => "enable")'),
      ]
      writeFileSync(join(directory, 'conf'), `${site.join('\n')}\n`)
      return ['-D', '-f', join(directory, 'conf')]
    },
  },
  {
    program: 'varnishd',
    argv: (directory, from, to) => {
      const [receive, fetch] = [named('return (pass)'), named('return (fetch)')]
      return varnish(directory, from, to, `sub vcl_recv { ${receive}; } sub vcl_backend_fetch { ${fetch}; }`)
    },
  },
]

/** Varnish with its built-in rules, which cache what a response does not forbid. */
const CACHE: Proxy = { program: 'varnishd', argv: (directory, from, to) => varnish(directory, from, to, '') }

function varnish(directory: string, from: number, to: number, rules: string): readonly string[] {
  const file = join(directory, 'vcl')
  writeFileSync(file, `vcl 4.1; backend laurel { .host = "127.0.0.1"; .port = "${to}"; } ${rules}\n`)
  return ['-j', 'none', '-F', '-f', file, '-a', `127.0.0.1:${from}`, '-n', join(directory, 'work'), '-s', 'malloc,64m']
}

/** A setting that docs/operating.md names in its table. */
function named(setting: string): string {
  if (!readDocument('docs/operating.md').includes(`\`${setting}\``))
    throw new Error(`docs/operating.md does not name ${setting}`)
  return setting
}

/** A configuration of ops/proxies. */
function configured(file: string): string {
  return readFileSync(join(PROJECT, 'ops/proxies', file), 'utf8')
}

export type ProxiesCampaign = Readonly<{ times: number; say: (line: string) => void }>

/** Reports how many refusals arrived; rejects if a prediction fails. Resolves to the programs that were installed. */
export async function runProxiesCampaign({ times, say }: ProxiesCampaign): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'laurel-proxies-'))
  const service = await startService({ data: join(directory, 'data') })
  const tried: string[] = []
  try {
    await service.upsert('players', [aPlayer()])
    for (const proxy of PROXIES) {
      if (!isInstalled(proxy.program)) {
        say(`${proxy.program}: not installed`)
        continue
      }
      tried.push(proxy.program)
      const home = join(directory, proxy.program)
      mkdirSync(home)
      await behind(proxy, home, service, async (url) => {
        say(`${proxy.program}: ${await tryProxy(url, service, times)}`)
        // From this machine it would need no token, but it does through a proxy that forwards the client address.
        if (proxy.program !== 'haproxy' || !isInstalled('prometheus')) return
        tried.push('prometheus')
        say(`prometheus, through it: ${await scrape(home, url, service)}`)
      })
    }
    if (isInstalled(CACHE.program)) {
      const home = join(directory, 'cache')
      mkdirSync(home)
      await behind(CACHE, home, service, async (url) =>
        say(`${CACHE.program}, by default: ${await tryCache(url, service)}`),
      )
    }
  } finally {
    await service.stop()
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  return tried
}

function isInstalled(program: string): boolean {
  return spawnSync('which', [program]).status === 0
}

async function behind(
  { program, argv }: Proxy,
  home: string,
  service: ServiceProcess,
  act: (url: string) => Promise<void>,
): Promise<void> {
  const from = await freePort()
  const child = spawn(program, argv(home, from, Number(new URL(service.url).port)), {
    stdio: 'ignore',
    env: envIn(home),
  })
  try {
    await eventually(`${program} listens`, () => accepts(from))
    await act(`http://127.0.0.1:${from}`)
  } finally {
    await ended(child)
  }
}

async function tryProxy(url: string, service: ServiceProcess, times: number): Promise<string> {
  const token = tokenIn(service.data)
  const json = { 'content-type': 'application/json' }
  for (const method of ['GET', 'POST']) {
    const body = Buffer.from(JSON.stringify({ data: anOrder() }))
    const { status, text } = await send(url, method, '/api/predictions/orders', body, { ...json, token })
    if (status !== 200) throw new Error(`${method} of a prediction through it: ${status} ${text}`)
  }
  const arrived: string[] = []
  for (const size of SIZES_MIB) {
    const body = Buffer.alloc(size * MIB, ' ')
    let count = 0
    for (let time = 1; time <= times; time += 1) {
      const sent = send(url, 'POST', '/api/integration/players', body, { ...json, token: 'wrong' })
      const reply = await sent.catch(() => undefined)
      // 429 after 100 wrong tokens in a minute from one address.
      if (reply !== undefined && [401, 429].includes(reply.status) && reply.text.includes('"error"')) count += 1
    }
    arrived.push(`${count} of ${times} refusals of ${size} MiB arrived`)
  }
  return `predictions by GET and POST, ${arrived.join(', ')}`
}

/** What only a token opens must not be in the cache for callers without one. */
async function tryCache(url: string, service: ServiceProcess): Promise<string> {
  for (const path of ['/metrics', '/api/admin/orders']) {
    const { status } = await fetch(`${url}${path}`, { headers: { token: tokenIn(service.data) } })
    const without = (await fetch(`${url}${path}`)).status
    if (status !== 200 || without !== 401) throw new Error(`${path}: ${status} with a token, then ${without} without`)
  }
  return 'metrics and orders read with a token are not served without one'
}

async function scrape(directory: string, url: string, service: ServiceProcess): Promise<string> {
  const { body } = await service.ask('/api/admin/tokens', {
    method: 'POST',
    body: { data: { name: 'prometheus', scopes: ['metrics'] } },
  })
  const port = await freePort()
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s' },
    scrape_configs: [
      {
        job_name: 'laurel',
        authorization: { type: 'Bearer', credentials: body.token },
        static_configs: [{ targets: [new URL(url).host] }],
      },
    ],
  }
  writeFileSync(join(directory, 'prometheus.json'), JSON.stringify(config))
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(directory, 'prometheus.json')}`,
      `--storage.tsdb.path=${join(directory, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  try {
    let up = ''
    await eventually('it has scraped', async () => {
      if (!(await accepts(port))) return false
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=up`)
      up = await response.text()
      return up.includes('"laurel"') && up.includes('"1"]')
    })
    return 'scraped with a bearer token of scope metrics'
  } finally {
    await ended(child)
  }
}

async function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const over = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await over
}

function envIn(home: string) {
  return { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
}

if (import.meta.main) {
  const command = new Command('npm run campaign:proxies --')
    .description(
      'Puts the proxies that are installed in front of a service, and sees whether refusals of large bodies arrive.',
    )
    .option('--times <number>', 'refusals of each size', '50')
    .parse()
  const times = Number(command.opts<{ times: string }>().times)
  if (!Number.isInteger(times) || times < 1) command.error('error: --times must be an integer greater than 0')
  const tried = await runProxiesCampaign({ times, say: (line) => process.stdout.write(`${line}\n`) })
  if (tried.length === 0) command.error('error: none of these proxies is installed')
}
