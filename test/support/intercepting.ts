/*
 * A driver that lets a test step in at one statement of one transaction: to have others write first, or to lose the connection.
 */
import type { Driver, Session } from '../../src/database/db/driver.ts'

/** Does something before or after a statement is sent, or instead of it; `session` is that of the transaction. */
type Interception = <T>(send: () => Promise<T>, session: Session) => Promise<T>

/** `about` is in the parameters of the transaction's statement or of an earlier one; `at` is in the text of the statement. */
type Place = Readonly<{ about: string; at: string }>

/** `next` waits for the next such statement; several are taken in the order given. `waiting` tells how many are left. */
export function createInterceptor() {
  const places: Readonly<{ place: Place; act: Interception }>[] = []
  function intercepted(session: Session): Session {
    const params: unknown[] = []
    // Accounts are counted in the background, at any time. Erasing a player locks the totals too, but waits for them.
    let isBackground = false
    const at = <T>(steps: readonly Readonly<{ sql: string; params?: unknown }>[], send: () => Promise<T>) => {
      params.push(...steps.map((step) => step.params))
      isBackground ||= steps.some(({ sql }) => /from account_totals\s[^;]*for update skip locked/.test(sql))
      const [first] = places
      const isHere =
        first !== undefined &&
        !isBackground &&
        steps.some(({ sql }) => sql.includes(first.place.at)) &&
        String(params).includes(first.place.about)
      if (!isHere) return send()
      places.shift()
      return first.act(send, session)
    }
    return {
      script: (sql) => session.script(sql),
      release: (broken) => session.release(broken),
      query: (sql, given) => at([{ sql, params: given }], () => session.query(sql, given)),
      batch: (steps) => at(steps, () => session.batch(steps)),
    }
  }
  return {
    through: (driver: Driver): Driver => ({
      ...driver,
      session: async (...asked) => intercepted(await driver.session(...asked)),
    }),
    next: (place: Place, act: Interception) => void places.push({ place, act }),
    waiting: () => places.length,
  }
}

/** The connection is lost: before the server gets the statement, or after it has executed it. */
export const LOSING = {
  before: async () => {
    throw lost()
  },
  after: async (send) => {
    await send()
    throw lost()
  },
} satisfies Record<string, Interception>

function lost(): Error {
  return Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' })
}
