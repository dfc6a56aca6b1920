/*
 * Numbers that are too large for a column, sent wherever a request may have one.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { OPERATIONS } from '../support/api-description.ts'
import { apiScenario, prepareScenario, type Step } from '../support/api-scenario.ts'
import { forEachService, type TestApp } from '../support/test-app.ts'

/** One more than a column of 4 bytes holds, than JSON carries exactly, than one of 8 bytes holds, and the same below 0. */
const NUMBERS = ['2147483648', '9007199254740993', '99999999999999999999', '-2147483649', '-99999999999999999999']

/** Stands for a number in a body, so that it is sent digit by digit. */
const PLACE = 'a number goes here'

type Schema = Readonly<{
  enum?: readonly string[]
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  items?: Schema
}>

type Request = Readonly<{ path: string; body?: string }>

forEachService((openTestApp) => {
  test('no number in a path, a parameter, a cursor or a body is too large for the database: none is answered with 500', async (t) => {
    const app = await openTestApp(t)
    await prepareScenario(app.service)
    const failed: string[] = []
    let sent = 0
    for (const step of apiScenario()) {
      const known = await withId(app, step)
      const response = await app.ask(step.method, pathOf(known), known.body === undefined ? {} : { body: known.body })
      assert.equal(response.status, 200, `${step.operationId}: ${response.text}`)
      for (const { path, body } of await withLargeNumbers(app, known)) {
        sent += 1
        const { status, text } = await app.ask(step.method, path, body === undefined ? {} : { body })
        if (step.operationId === 'startJob') await forgetWaitingJobs(app)
        if (status >= 500) failed.push(`${step.method} ${path} ${body ?? ''} answers ${status}: ${text}`)
      }
    }
    assert.deepEqual(failed, [])
    assert(sent > 2_000, `only ${sent} requests`)
  })
})

/** No more than a few jobs may wait. */
async function forgetWaitingJobs({ service }: TestApp): Promise<void> {
  const sql = "delete from jobs where state = 'waiting' and job_id <> (select min(job_id) from jobs)"
  await service.db.transaction((tx) => tx.query(sql), performance.now() + 60_000)
}

/** The step with the id of something that is there. */
async function withId(app: TestApp, step: Step): Promise<Step> {
  if (step.idFrom === undefined) return step
  const [first] = (await app.ask('GET', `/api/admin/${step.idFrom}`)).body[step.idFrom]
  return { ...step, params: { ...step.params, id: first.id } }
}

function pathOf({ path, params }: Step): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!))
}

async function withLargeNumbers(app: TestApp, step: Step): Promise<Request[]> {
  const { parameters = [], requestBody } = OPERATIONS.find(({ operationId }) => operationId === step.operationId)!
  const own = pathOf(step)
  const body = step.body === undefined ? {} : { body: JSON.stringify(step.body) }
  const inPath = Object.keys(step.params).flatMap((name) =>
    NUMBERS.map((number) => ({ ...body, path: pathOf({ ...step, params: { ...step.params, [name]: number } }) })),
  )
  const inQuery = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const asParameter = inQuery.flatMap((name) =>
    NUMBERS.map((number) => ({ ...body, path: `${own}?${new URLSearchParams({ [name]: number })}` })),
  )
  const cursors = inQuery.includes('after') ? await largeCursors(app, step) : []
  const asCursor = cursors.map((after) => ({ ...body, path: `${own}?${new URLSearchParams({ after })}` }))
  const schema = requestBody?.content['application/json']?.schema as Schema | undefined
  const bodies = schema === undefined ? [] : replaced(schema, step.body).map((one) => JSON.stringify(one))
  const inBody = bodies.flatMap((text) =>
    NUMBERS.flatMap((number) => [
      { path: own, body: text.replace(`"${PLACE}"`, number) },
      { path: own, body: text.replace(PLACE, number) },
    ]),
  )
  return [...inPath, ...asParameter, ...asCursor, ...inBody]
}

/** A cursor of the list with each of its groups of digits replaced, and cursors that have the form of others. */
async function largeCursors(app: TestApp, step: Step): Promise<string[]> {
  const body = step.body === undefined ? {} : { body: step.body }
  const { after } = (await app.ask(step.method, `${pathOf(step)}?limit=1`, body)).body
  const readable = typeof after !== 'string' || /^\d+$/.test(after) ? '' : Buffer.from(after, 'base64url').toString()
  const forms = [PLACE, `2026-06-01T12:00:00.000Z${PLACE}`, `${PLACE}-06-01T12:00:00.000Z1`]
  const own = [...readable.matchAll(/\d+/g)].map(
    ({ 0: { length }, index }) => readable.slice(0, index) + PLACE + readable.slice(index + length),
  )
  const encoded = (text: string) => Buffer.from(text).toString('base64url')
  return [...own, ...forms].flatMap((form) => NUMBERS.map((number) => encoded(form.replace(PLACE, number))))
}

/** A value with, one after the other, each field that the schema names replaced; of a list, in the first element. */
function replaced(schema: Schema, value: unknown): unknown[] {
  const { anyOf = [], properties = {}, items } = schema
  const alternatives = anyOf.flatMap((one) => replaced(one, value))
  if (items !== undefined && Array.isArray(value)) {
    const [first, ...rest] = value
    return [...alternatives, [PLACE], ...replaced(items, first).map((one) => [one, ...rest])]
  }
  const given = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  const fixed = Object.entries(properties).flatMap(([name, inner]) =>
    inner.enum?.length === 1 ? [[name, inner.enum[0]] as const] : [],
  )
  const known: Record<string, unknown> = { ...given, ...Object.fromEntries(fixed) }
  const fields = Object.entries(properties).flatMap(([name, inner]) =>
    [PLACE, ...replaced(inner, known[name])].map((one) => ({ ...known, [name]: one })),
  )
  return [...alternatives, ...fields]
}
