/*
 * Predictions and orders where every product has as many attributes as it may, compared with those without: under a program that asks for none, and
 * under one that asks for one.
 */
import { STARTER_PROGRAM } from '../src/engine/points/starter-program.ts'
import { alternate, type Figure, figureOf } from './figures.ts'
import { oursOf, PRODUCTS_PATH, type Rate, ratesOf, sendAll } from './http.ts'
import { LOAD_CONNECTIONS, loadOf, predictionsOf, warmed } from './load.ts'
import { sendingOrders } from './orders.ts'
import { publish } from './paying.ts'
import { type Round, sizeOf } from './round.ts'
import { aProduct, bodiesOf } from './samples.ts'
import { TARGETS } from './targets.ts'
import { type Data, onCopy, type RunningService, start, withService } from './testbed.ts'

const ATTRIBUTES = 32
const CATEGORIES = 50
const ASKING = STARTER_PROGRAM.replace(
  /^earn:\n/m,
  (earn) =>
    `attributes: { product: { a1: text } }\n${earn}  - { name: category, when: 'line.attributes.a1 == "category-7"', per-amount: { points: 1, every: 10, of: net } }\n`,
)

type Name = `${'predicted' | 'recorded'} ${'plain' | 'stored' | 'asked'}`

export async function measureAttributes({ testbed, database, runs, records, seconds }: Round): Promise<Figure[]> {
  const size = sizeOf(records)
  const plain = await testbed.filled(database, size)
  const product = (index: number) => ({ ...aProduct(index), attributes: attributesOf(index) })
  const bodies = bodiesOf(product, { records: size.products, each: 1_000 })
  const ratesOn = (name: 'plain' | 'stored' | 'asked', data: Data) => () =>
    withService(testbed, data, async (service) => {
      const predicted = await warmed(() => loadOf(service, predictionsOf(size), seconds))
      const orders = sendingOrders(service, size)
      const recorded = await warmed(() => orders.send(seconds))
      return { [`predicted ${name}`]: predicted, [`recorded ${name}`]: recorded }
    })
  return await onCopy(testbed, plain, async (stored) => {
    await whileStarted(stored, (service) => sendAll(service, PRODUCTS_PATH, { bodies, connections: 2 }))
    return await onCopy(testbed, stored, async (asked) => {
      await whileStarted(asked, (service) => publish(service, ASKING))
      const measured = await alternate<Name, Rate>(runs, [
        ratesOn('plain', plain),
        ratesOn('stored', stored),
        ratesOn('asked', asked),
      ])
      return (['predicted', 'recorded'] as const).flatMap((what) =>
        (['stored', 'asked'] as const).map((how) =>
          figureOf(
            {
              ...(what === 'predicted' ? TARGETS.predictionsOfAttributes : TARGETS.ordersOfAttributes),
              figure: `${what === 'predicted' ? 'predictions' : 'orders recorded'} with ${ATTRIBUTES} attributes a product, ${how === 'asked' ? 'one of which the program asks for' : 'none of which the program asks for'}`,
            },
            {
              ...{ database, floor: ratesOf(measured[`${what} plain`]), ...oursOf(measured[`${what} ${how}`]) },
              note: `three lines an order, ${LOAD_CONNECTIONS} connections of predictions; floor: the same without attributes`,
            },
          ),
        ),
      )
    })
  })
}

async function whileStarted(data: Data, act: (service: RunningService) => Promise<unknown>): Promise<void> {
  const service = await start(data)
  await act(service)
  await service.stop()
}

/** Some 1,500 bytes. */
function attributesOf(index: number): object {
  const other = (place: number) => [`a${place}`, `value ${place} of product ${index} and its kind`]
  return {
    a1: `category-${index % CATEGORIES}`,
    ...Object.fromEntries(Array.from({ length: ATTRIBUTES - 1 }, (_, place) => other(place + 2))),
  }
}
