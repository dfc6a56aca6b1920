/*
 * Days and times are those of the program's time zone, wherever the browser is. What is expected is computed here, by Intl alone.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { emptyService, startBrowserTest } from '../support/browser-test.ts'
import { anOrder, aPlayer } from '../support/builders.ts'

const ZONE = 'Europe/London'
const SOURCE = `name: London
time-zone: ${ZONE}
rounding: floor
levels: { counts: lifetime, ladder: [{ name: Bronze, from: 0 }] }
earn: [{ name: base, per-amount: { points: 1, every: 1 } }]
points: { expire: { after: P12M } }
`
/** The last second of 9 July in London, the first and the last second of 10 July, and the first of 11 July. */
const AROUND = {
  'last-of-9': '2026-07-09T22:59:59Z',
  'first-of-10': '2026-07-09T23:00:00Z',
  'last-of-10': '2026-07-10T22:59:59Z',
  'first-of-11': '2026-07-10T23:00:00Z',
}
/** Players whose ids are an e-mail address and a number. */
const IDS = ['asha@example.com', '1234567890'] as const

/** "10 Jul 2026, 00:00" */
const clockIn = (timeZone: string, at: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at))
/** "2026-07-10" */
const dayIn = (timeZone: string, at: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(at))

/** Each browser's zone, and a moment at which its day is another than London's. */
for (const [timeZone, now] of [
  ['America/New_York', '2026-11-26T02:30:00Z'],
  ['Asia/Kolkata', '2026-11-26T20:30:00Z'],
  ['Pacific/Auckland', '2026-11-26T20:30:00Z'],
] as const)
  test(`in a browser in ${timeZone}, days, filters and scheduled versions are those of the program's time zone`, async (t) => {
    const app = await emptyService(t)
    const publish = async (source: string, from: string) =>
      assert.equal((await app.ask('POST', '/api/admin/programs', { body: { data: { source, from } } })).status, 200)
    await publish(SOURCE, '2020-01-01T00:00:00Z')
    await app.upsertPlayers(IDS.map((id, index) => aPlayer({ User_id: id, Refercode: `CODE${index}` })))
    const orders = Object.entries(AROUND).map(([id, at], index) =>
      anOrder({ order_id: id, user_id: IDS[index % 2], ordered_at: at, total_amount: '123456789' }),
    )
    const { status: recorded } = await app.record(orders)
    assert.equal(recorded, 200)
    const { body: draft } = await app.ask('POST', '/api/admin/drafts', {
      body: { data: { name: 'London', source: SOURCE } },
    })
    const { page, open, check } = await startBrowserTest(t, { timeZone }, app)
    await page.clock.setFixedTime(new Date(now))

    await open('/orders', 'Orders')
    await page.getByText(`Days and times in ${ZONE}`).waitFor()
    await page.getByLabel('From', { exact: true }).fill('2026-07-10')
    await page.getByLabel('To', { exact: true }).fill('2026-07-10')
    await page.getByRole('button', { name: 'Show this period' }).click()
    await page.getByRole('rowheader', { name: 'first-of-11' }).waitFor({ state: 'detached' })
    assert.deepEqual(await page.getByRole('rowheader').allTextContents(), ['last-of-10', 'first-of-10'])
    for (const id of ['last-of-10', 'first-of-10'] as const) {
      const shown = page.getByRole('row', { name: id }).locator('time')
      assert.equal(await shown.textContent(), clockIn(ZONE, AROUND[id]))
      assert.match((await shown.textContent())!, /^10 Jul 2026/)
      assert.equal(await shown.getAttribute('title'), `${clockIn(timeZone, AROUND[id])} your time`)
    }
    await check()

    assert.notEqual(dayIn(timeZone, now), dayIn(ZONE, now))
    const asked = page.waitForRequest(/statistics\/summary/)
    await open('/?span=7d', 'Overview')
    const query = new URL((await asked).url()).searchParams
    assert.equal(query.get('to'), dayIn(ZONE, now))

    await open(`/players/${encodeURIComponent(IDS[0])}?tab=balance`, IDS[0])
    const { body: account } = await app.ask('GET', `/api/players/${encodeURIComponent(IDS[0])}`)
    const ends = account.lots.map(({ expires_on }: { expires_on: string }) => clockIn('UTC', expires_on).slice(0, -7))
    assert.deepEqual(ends, ['9 Jul 2027', '10 Jul 2027'])
    const lots = page.getByRole('region', { name: 'Remaining points' })
    await lots.getByRole('row').nth(2).waitFor()
    assert.deepEqual(await lots.getByRole('cell').filter({ hasText: '2027' }).allTextContents(), ends)
    await open(`/players/${IDS[1]}`, IDS[1])

    await open(`/program/drafts/${draft.id}?tab=publish`, 'London')
    const from = page.getByLabel('Effective from')
    const schedule = page.getByRole('button', { name: 'Schedule' })
    await from.fill('2027-03-28T01:30')
    await page.getByText(`This time does not exist in ${ZONE}`).waitFor()
    assert(await page.getByRole('button', { name: 'Publish', exact: true }).isDisabled())
    await from.fill('2027-10-31T01:30')
    await page.getByText('as clocks go back. The first is used: 31 Oct 2027, 01:30 BST').waitFor()
    await check()
    await from.fill('2027-07-10T00:00')
    await schedule.click()
    const start = '2027-07-09T23:00:00.000Z'
    assert.equal(clockIn(ZONE, start), '10 Jul 2027, 00:00')
    const dialog = page.getByRole('dialog', { name: 'Schedule London?' })
    await dialog.getByText(`10 Jul 2027, 00:00 BST in ${ZONE} (${clockIn(timeZone, start)} your time)`).waitFor()
    await check()
    await dialog.getByRole('button', { name: 'Schedule' }).click()
    await page.getByRole('link', { name: 'v3 London' }).waitFor()
    const { body: listed } = await app.ask('GET', '/api/admin/programs')
    assert.equal(listed.programs.at(-1).effective_from, start)
    assert.equal(
      await page
        .getByRole('row', { name: /^v3 London/ })
        .locator('time')
        .first()
        .textContent(),
      '10 Jul 2027, 00:00',
    )
    await page.getByRole('button', { name: 'Withdraw version 3' }).click()
    const both = `10 Jul 2027, 00:00 BST in ${ZONE} (${clockIn(timeZone, start)} your time). Once withdrawn`
    await page.getByRole('dialog', { name: 'Withdraw version 3?' }).getByText(both).waitFor()
    await check()
  })
