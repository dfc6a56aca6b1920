/** A row where the server coordinates a cluster (Citus). */
export const IS_CLUSTER = "select 1 as one from pg_extension where extname = 'citus'"
