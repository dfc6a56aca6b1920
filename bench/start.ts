/*
 * From the start of the process to the first 200 of /readyz, on existing data.
 */
import { alternate, type Figure, figureOf } from './figures.ts'
import { type Round, sizeOf } from './round.ts'
import { TARGETS } from './targets.ts'
import { onCopy, start } from './testbed.ts'

export async function measureStart({ testbed, database, runs, records }: Round): Promise<Figure[]> {
  const size = sizeOf(records)
  const { readyMs } = await onCopy(testbed, await testbed.filled(database, size), (data) =>
    alternate(runs, [
      async () => {
        const service = await start(data)
        await service.stop()
        return { readyMs: service.readyMs }
      },
    ]),
  )
  return [
    figureOf(TARGETS.start, {
      database,
      ours: readyMs,
      note: `${size.players} players, ${size.products} products; from the start of the process to the first 200 of /readyz`,
    }),
  ]
}
