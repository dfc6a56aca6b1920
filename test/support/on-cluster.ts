/**
 * Whether the tests on PostgreSQL run on a cluster of servers (Citus), as `npm test` finds out. Not found out here: while a module awaits, tests of
 * files that do not need it begin, and the hooks after all tests run once these have ended, before the others.
 */
export const isOnCluster = process.env.LAUREL_TEST_ON_CLUSTER === 'yes'
