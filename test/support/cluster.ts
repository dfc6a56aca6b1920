/*
 * A cluster of servers (Citus) that the caller of the tests named: each database is there on every server.
 */
import pg from 'pg'
import { IS_CLUSTER } from '../../src/database/db/is-cluster.ts'
import { runOnce } from './postgres-server.ts'

/** Servers by URLs whose database is the same. The first coordinates the others; there are none on one server. */
export type Servers = readonly string[]

/** The servers of the cluster that a URL leads to. */
export async function serversAt(url: string): Promise<Servers> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    if ((await client.query(IS_CLUSTER)).rowCount === 0) return [url]
    const { rows } = await client.query<{ host: string; port: number }>(
      'select nodename as host, nodeport as port from pg_dist_node where groupid > 0 order by groupid',
    )
    return [url, ...rows.map(({ host, port }) => at(url, host, port))]
  } finally {
    await client.end()
  }
}

/** Makes the databases of one name on all servers parts of a cluster. */
export async function joinDatabase(servers: Servers, database: string): Promise<void> {
  if (servers.length === 1) return
  const urls = servers.map((url) => {
    const { hostname, port } = new URL(url)
    return at(database, hostname, Number(port))
  })
  for (const url of urls) await runOnce(url, 'create extension citus')
  const [coordinator, ...others] = urls.map((url) => new URL(url))
  await runOnce(
    coordinator!.href,
    `select citus_set_coordinator_host('${coordinator!.hostname}', ${coordinator!.port})`,
    ...others.map(({ hostname, port }) => `select citus_add_node('${hostname}', ${port})`),
  )
}

function at(url: string, host: string, port: number): string {
  const other = new URL(url)
  other.hostname = host
  other.port = String(port)
  return other.href
}
