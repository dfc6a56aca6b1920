import { serversAt } from './cluster.ts'

const given = process.env.LAUREL_TEST_DATABASE_URL

/** Whether the tests on PostgreSQL run on a cluster of servers (Citus): only if LAUREL_TEST_DATABASE_URL names its coordinator. */
export const isOnCluster = given !== undefined && (await serversAt(given)).length > 1
