import { Gauge, type Registry } from 'prom-client'
import project from '../../package.json' with { type: 'json' }

/** What a service holds at a moment; undefined where it has no such thing, or before it has started. */
export type ServiceSizes = Readonly<{
  /** The kind of database. */
  database?: string | undefined
  embeddedDatabaseBytes?: number | undefined
  sessions?: Readonly<{ max: number; used: number; waiting: number }> | undefined
  requestsInFlight?: number | undefined
  bodyBytes?: number | undefined
  bodyBytesMax?: number | undefined
}>

const SIZES: readonly (readonly [name: string, help: string, read: (sizes: ServiceSizes) => number | undefined])[] = [
  [
    'laurel_embedded_database_bytes',
    'Heap of the embedded database, at most 2 GiB',
    ({ embeddedDatabaseBytes }) => embeddedDatabaseBytes,
  ],
  [
    'laurel_database_connections_max',
    'Database connections that may be in use at once; 1 for the embedded database',
    ({ sessions }) => sessions?.max,
  ],
  ['laurel_database_connections_used', 'Database connections in use', ({ sessions }) => sessions?.used],
  [
    'laurel_database_connections_waiting',
    'Statements and transactions that wait for a database connection',
    ({ sessions }) => sessions?.waiting,
  ],
  [
    'laurel_http_requests_in_flight',
    'Requests that have begun and are not answered yet, with the one that reads this',
    ({ requestsInFlight }) => requestsInFlight,
  ],
  ['laurel_body_bytes', 'Memory that request bodies hold', ({ bodyBytes }) => bodyBytes],
  ['laurel_body_bytes_max', 'Memory that they may hold', ({ bodyBytesMax }) => bodyBytesMax],
]

/** Gauges of what a service holds, read only when they are asked for. Those of several workers are added up. */
export function showSizes(registry: Registry, sizes: () => ServiceSizes): void {
  for (const [name, help, read] of SIZES)
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const size = read(sizes())
        if (size !== undefined) this.set(size)
      },
    })
  new Gauge({
    name: 'laurel_build_info',
    help: '1, with the labels version and database (pglite or postgres)',
    labelNames: ['version', 'database'],
    // All workers report the same.
    aggregator: 'max',
    registers: [registry],
    collect() {
      const { database } = sizes()
      if (database !== undefined) this.set({ version: project.version, database }, 1)
    },
  })
}
