/*
 * New products in bulk and the same products again, compared with COPY.
 */
import { BULK_CONNECTIONS, copyInto, REQUEST_RECORDS, upsertRate, warmUp } from './bulk.ts'
import { alternate, type Figure, figureOf } from './figures.ts'
import { oursOf, PRODUCTS_PATH, type Rate, ratesOf } from './http.ts'
import type { Round } from './round.ts'
import { aProduct, bodiesOf, productRow } from './samples.ts'
import { TARGETS } from './targets.ts'
import { EMPTY, withService } from './testbed.ts'

export async function measureProducts(round: Round): Promise<Figure[]> {
  const { testbed, database, runs, records } = round
  const bodies = bodiesOf(aProduct, { records, each: REQUEST_RECORDS })
  const copy = await copyInto(round, 'products', { row: productRow })
  const empty = await testbed.filled(database, EMPTY)
  const { copied, inserted, unchanged } = await alternate<'copied' | 'inserted' | 'unchanged', Rate>(runs, [
    async () => ({ copied: await copy() }),
    () =>
      withService(testbed, empty, async (service) => {
        await warmUp(service, PRODUCTS_PATH, aProduct)
        return {
          inserted: await upsertRate(service, PRODUCTS_PATH, { bodies, verdict: 'inserted' }),
          unchanged: await upsertRate(service, PRODUCTS_PATH, { bodies, verdict: 'skipped' }),
        }
      }),
  ])
  const note = `${records} in requests of ${REQUEST_RECORDS}, ${BULK_CONNECTIONS} connections; floor: COPY of the same rows into a table like ours`
  return [
    figureOf(TARGETS.productsNew, { database, floor: ratesOf(copied), ...oursOf(inserted), note }),
    figureOf(TARGETS.productsUnchanged, { database, floor: ratesOf(copied), ...oursOf(unchanged), note }),
  ]
}
