/*
 * The PostgreSQL database of a campaign that does not stop the server: on the server of the test run, which is there already and has a migrated
 * template, or on one of its own.
 */
import { joinDatabase, serversAt } from '../support/cluster.ts'
import { serverTemplate } from '../support/database-templates.ts'
import { newDatabase, type PostgresServerOptions, runOnce, startPostgresServer } from '../support/postgres-server.ts'

/** `options`: of a server of its own. `content`: whether the database has our schema. */
export async function openCampaignDatabase(
  options: PostgresServerOptions = {},
  content: 'schema' | 'nothing' = 'schema',
) {
  const given = process.env.LAUREL_TEST_DATABASE_URL
  const own = given === undefined ? await startPostgresServer(options) : undefined
  const server = given ?? own!.url
  const servers = await serversAt(server)
  const run = async (...statements: readonly string[]) => {
    for (const one of servers) await runOnce(one, ...statements)
  }
  const url = await newDatabase(server, content === 'schema' ? await serverTemplate(servers, run) : undefined, run)
  if (content === 'nothing') await joinDatabase(servers, url)
  const drop = () => run(`drop database ${new URL(url).pathname.slice(1)} with (force)`)
  return { url, close: () => own?.stop() ?? drop() }
}
