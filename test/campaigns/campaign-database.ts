/*
 * The PostgreSQL database of a campaign that does not stop the server: on the server of the test run, which is there already and has a migrated
 * template, or on one of its own.
 */
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
  const url = await newDatabase(server, content === 'schema' ? await serverTemplate(server) : undefined)
  const drop = () => runOnce(server, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
  return { url, close: () => own?.stop() ?? drop() }
}
