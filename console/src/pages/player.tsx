import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { useIdInPath } from '../address.ts'
import { Refused } from '../api.ts'
import { attributesText } from '../attributes.ts'
import { calendarDayText } from '../calendar-days.ts'
import { approximately, grouped, signed, sumOf } from '../exact.ts'
import { agoText } from '../moments.ts'
import { AdjustDialog, UndoDialog } from '../parts/adjust-dialog.tsx'
import { AsCurl } from '../parts/copy.tsx'
import { type Figure, Figures } from '../parts/figures.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { Icon } from '../parts/icon.tsx'
import { Moment, toProvenance } from '../parts/moment.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { RedeemDialog } from '../parts/redeem-dialogs.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Waterfall } from '../parts/waterfall.tsx'
import { useResponse } from '../responses.ts'
import { useReveal } from '../reveal.ts'
import { useUrlState } from '../url-state.ts'
import { ORDER_COLUMNS } from './orders.tsx'
import { PlayerBalance } from './player-balance.tsx'
import { PlayerPredictions } from './player-predictions.tsx'
import { PlayerReferrals } from './player-referrals.tsx'

const TABS = {
  entries: 'Entries',
  balance: 'Balance',
  orders: 'Orders',
  predictions: 'Predictions',
  referrals: 'Referrals',
  data: 'Data',
} as const
type Tab = keyof typeof TABS
type Account = RouteResponse<'GET /api/players/:user_id'>
type Entry = Account['entries'][number]
type Person = RouteResponse<'GET /api/admin/players/:user_id'>
const PAGE = '25'

export function Player() {
  const userId = useIdInPath()
  const [tabName] = useUrlState('tab', 'entries')
  const tab = (tabName in TABS ? tabName : 'entries') as Tab
  const [after] = useUrlState('after')
  const [at, setAt] = useUrlState('at')
  const [dialog, setDialog] = useState<'adjust' | 'redeem'>()
  const reveal = useReveal(userId)
  const request = {
    params: { user_id: userId },
    query: {
      limit: PAGE,
      explain: 'true',
      after: tab === 'entries' && after !== '' ? after : undefined,
      at: at === '' ? undefined : at,
    },
  }
  const account = useResponse('GET /api/players/:user_id', request)
  const person = useResponse('GET /api/admin/players/:user_id', { params: { user_id: userId } })
  const shown = reveal.person ?? person.data
  const { data } = account

  if (account.error instanceof Refused && account.error.status === 404)
    return (
      <Page title={userId}>
        <Empty title="Player not found">
          <p>
            IDs must match exactly. <Link href="/players">Find a player</Link> by e-mail, phone number or code.
          </p>
        </Empty>
      </Page>
    )
  return (
    <Page
      title={userId}
      about={
        <>
          {shown?.name ?? <Skeleton width="8rem" />}{' '}
          {shown?.participates === false && <span className="badge warn">Does not participate</span>}{' '}
          <Guarded scope="support" className="link" onClick={() => reveal.set(!reveal.isOn)}>
            {reveal.isOn ? 'hide' : 'reveal'}
          </Guarded>
        </>
      }
      actions={
        <>
          {at === '' && (
            <>
              <Guarded scope="redeem" onClick={() => setDialog('redeem')}>
                Redeem points
              </Guarded>
              <Guarded scope="support" onClick={() => setDialog('adjust')}>
                <Icon name="plus" /> Adjust points
              </Guarded>
            </>
          )}
          <Link href={`/try?user_id=${encodeURIComponent(userId)}`} className="button">
            <Icon name="try" /> Simulate an order
          </Link>
          <AsCurl requests={[{ name: 'GET /api/players/:user_id', request }]} />
        </>
      }
    >
      <Failure error={reveal.error} retry={reveal.retry} />
      <Failure error={account.error} retry={account.retry} since={account.answeredAtMs} />
      {at !== '' && (
        <div className="notice">
          <span>The balance is as of {calendarDayText(at)}, without later changes. The level is the current one.</span>
          <button type="button" className="link" onClick={() => setAt('')}>
            Show today
          </button>
        </div>
      )}
      <AccountSummary account={data} isStale={account.isStale} />
      <Tabs name="About this player" tabs={TABS} tab={tab} />
      {tab === 'entries' && <Entries userId={userId} account={data} isStale={account.isStale} />}
      {tab === 'balance' && <PlayerBalance userId={userId} account={data} isStale={account.isStale} />}
      {tab === 'orders' && <PlayerOrders userId={userId} />}
      {tab === 'predictions' && <PlayerPredictions userId={userId} />}
      {tab === 'referrals' && <PlayerReferrals userId={userId} person={shown} />}
      {tab === 'data' && <PersonData person={shown} query={person} isRevealed={reveal.person !== undefined} />}
      {dialog === 'adjust' && data !== undefined && (
        <AdjustDialog userId={userId} points={data.points} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'redeem' && data !== undefined && (
        <RedeemDialog userId={userId} points={data.points} onClose={() => setDialog(undefined)} />
      )}
    </Page>
  )
}

function AccountSummary({ account, isStale }: Readonly<{ account: Account | undefined; isStale: boolean }>) {
  const next = account?.next
  const [newest] = account?.entries ?? []
  return (
    <Figures
      isStale={isStale}
      figures={[
        {
          name: 'Balance',
          definition: 'Points that can be spent. Negative if an order was reversed after its points were spent.',
          value: account && String(account.points),
          unit: 'points',
          note: account?.next_expiry
            ? `${grouped(account.next_expiry.points)} expire on ${calendarDayText(account.next_expiry.on)}`
            : undefined,
          provenance: account && toProvenance(account),
        },
        ...(account?.booked === undefined ? [] : waitingFigures(account)),
        {
          name: 'Earned',
          definition: 'Points that count for the level: all, or those within the window of the program.',
          value: account && String(account.earned),
          unit: 'points',
        },
        {
          name: 'Level',
          definition: 'The current level, under the program in effect.',
          value: account?.level,
          kind: 'text',
          note:
            account === undefined ? (
              ''
            ) : next == null ? (
              'the highest'
            ) : (
              <>
                {grouped(next.missing)} to {next.name}
                <span className="progress" aria-hidden="true">
                  <span
                    style={{
                      width: `${shareOf(account.earned, next.missing) * 100}%`,
                    }}
                  />
                </span>
              </>
            ),
        },
        {
          name: 'Last entry',
          definition: 'Time of the newest ledger entry.',
          kind: 'text',
          value: account && (newest === undefined ? 'none' : agoText(newest.recorded_at)),
          note: newest && <Moment at={newest.recorded_at} />,
        },
      ]}
    />
  )
}

/** How far a level is reached, from 0 to 1. */
function shareOf(earned: number, missing: number): number {
  return Math.max(0, approximately(earned)) / Math.max(1, approximately(sumOf([earned, missing])))
}

/** What belongs to the player but cannot be spent: only where a program makes points wait or expire. */
function waitingFigures(account: Account): Figure[] {
  const { pending, held, expired, booked } = account
  const provenance = toProvenance(account)
  return [
    {
      name: 'Pending',
      definition: 'Earned points that cannot be spent yet. The Balance tab shows their dates.',
      value: String(pending),
      unit: 'points',
      provenance,
    },
    {
      name: 'Held',
      definition: 'Points reserved for a checkout. A hold lapses after a time, and its points are released.',
      value: String(held),
      unit: 'points',
      provenance,
    },
    {
      name: 'Expired',
      definition: `Expired points. Balance, pending, held and expired add up to the posted points: ${grouped(booked ?? 0)}.`,
      value: String(expired),
      unit: 'points',
      provenance,
    },
  ]
}

const ENTRY_COLUMNS: Column<Entry>[] = [
  { name: 'Entry', text: ({ seq }) => seq },
  {
    name: 'Description',
    text: ({ kind, order_id, reason }) => `${kind} ${order_id ?? reason ?? ''}`.trim(),
    show: ({ kind, order_id, reason, change }) => (
      <>
        {order_id === undefined ? (
          <>
            {reason ?? kind} <span className="badge">{kind}</span>
          </>
        ) : (
          <>
            <Link href={`/orders/${encodeURIComponent(order_id)}`}>{order_id}</Link>{' '}
            <span className={change === 'placed' ? 'quiet' : 'badge'}>{change ?? kind}</span>
            {kind !== 'order' && <span className="badge">{kind}</span>}
          </>
        )}
      </>
    ),
    kind: 'wrap',
  },
  { name: 'Points', text: ({ points }) => points, show: ({ points }) => signed(points), kind: 'number' },
  { name: 'Counts', text: ({ counts }) => (counts ? 'for the level' : 'to spend only') },
  {
    name: 'Program',
    text: ({ program }) => program ?? null,
    show: ({ program }) => (program === undefined ? '' : `v${program}`),
  },
  { name: 'Time', text: ({ at }) => at, show: ({ at }) => <Moment at={at} /> },
  {
    name: 'Spent on',
    text: ({ spent_on }) => spent_on ?? null,
    show: ({ spent_on }) => (spent_on === undefined ? '' : calendarDayText(spent_on)),
  },
]

type Adjustment = Entry & Readonly<{ id: string }>

/** Whether points that no order earned, or that were spent: not what takes them back. */
function isAdjustment(entry: Entry): entry is Adjustment {
  return entry.kind === 'adjustment' && entry.change !== 'undone' && entry.id !== undefined
}

function Entries({
  userId,
  account,
  isStale,
}: Readonly<{ userId: string; account: Account | undefined; isStale: boolean }>) {
  const [undone, setUndone] = useState<Adjustment>()
  const entries = account?.entries ?? []
  const isUndone = ({ id }: Adjustment) => entries.some((one) => one.change === 'undone' && one.id === `undo:${id}`)
  const columns: Column<Entry>[] = [
    ...ENTRY_COLUMNS,
    {
      name: 'Undo',
      kind: 'actions',
      text: () => null,
      show: (entry) =>
        isAdjustment(entry) &&
        !isUndone(entry) && (
          <Guarded scope="support" className="link" onClick={() => setUndone(entry)}>
            Undo <span className="hidden">{entry.id}</span>
          </Guarded>
        ),
    },
  ]
  const detail = {
    name: 'Why',
    of: ({ explanation, revision }: Entry) =>
      explanation === undefined ? undefined : (
        <>
          <p className="quiet">
            The whole order as of revision {revision}; the entry is the difference from the previous revision.
          </p>
          <Waterfall explanation={explanation} points={totalOf(explanation)} />
        </>
      ),
  }
  if (account?.entries.length === 0)
    return (
      <Empty title="No entries yet">
        <p>The first order, referral or adjustment of this player will appear here.</p>
      </Empty>
    )
  return (
    <>
      <div className="actions">
        <p className="quiet">Newest first; entries are never changed or deleted.</p>
        <CsvButton name="entries" columns={ENTRY_COLUMNS} rows={account?.entries} />
      </div>
      <Table
        name="Entries"
        columns={columns}
        rows={account?.entries}
        keyOf={({ seq }) => String(seq)}
        isStale={isStale}
        detail={detail}
      />
      <Pager after={account?.after} />
      {undone !== undefined && <UndoDialog userId={userId} adjustment={undone} onClose={() => setUndone(undefined)} />}
    </>
  )
}

function PlayerOrders({ userId }: Readonly<{ userId: string }>) {
  const [after] = useUrlState('after')
  const request = { query: { user_id: userId, limit: PAGE, after: after === '' ? undefined : after } }
  const { data, error, isStale, retry } = useResponse('GET /api/admin/orders', request)
  const columns = ORDER_COLUMNS.filter(({ name }) => name !== 'Player')
  if (data?.orders.length === 0)
    return (
      <Empty title="No orders recorded">
        <p>Orders of this player will appear here.</p>
      </Empty>
    )
  return (
    <>
      <Failure error={error} retry={retry} />
      <div className="actions">
        <p className="quiet">By order ID.</p>
        <CsvButton name="orders" columns={columns} rows={data?.orders} />
      </div>
      <Table name="Orders" columns={columns} rows={data?.orders} keyOf={({ order_id }) => order_id} isStale={isStale} />
      <Pager after={data?.after} />
    </>
  )
}

const PERSON_FIELDS: readonly (readonly [string, (person: Person) => ReactNode])[] = [
  ['Name', ({ name }) => name],
  ['E-mail', ({ email }) => email],
  ['Phone', ({ phone }) => phone],
  ['Address', ({ address }) => address],
  ['Born', ({ date_of_birth }) => date_of_birth ?? ''],
  ['Gender', ({ gender }) => gender],
  ['State', ({ state }) => state],
  ['District', ({ district }) => district],
  ['Pincode', ({ pincode }) => pincode],
  ['Country', ({ country }) => country],
  ['Referral code', ({ refer_code }) => refer_code],
  ['Referred by', ({ referred_by }) => referred_by],
  ['Participates', ({ participates }) => (participates === false ? 'no: new orders earn no points' : 'yes')],
  ['Attributes', ({ attributes }) => attributesText(attributes)],
  ['First sent', ({ created_at }) => <Moment at={created_at} />],
  [
    'Last changed',
    ({ updated_at, rev }) => (
      <>
        <Moment at={updated_at} />, revision {rev}
      </>
    ),
  ],
]

function PersonData({
  person,
  query: { error, retry },
  isRevealed,
}: Readonly<{
  person: Person | undefined
  query: Readonly<{ error: Error | null; retry: () => unknown }>
  isRevealed: boolean
}>) {
  if (error instanceof Refused && error.status === 404)
    return (
      <Empty title="No record of this player">
        <p>There are entries, but the shop has not sent the player.</p>
      </Empty>
    )
  if (error !== null && person === undefined) return <Failure error={error} retry={retry} />
  return (
    <Section title={isRevealed ? 'As stored' : 'As stored, masked'}>
      <dl className="facts">
        {PERSON_FIELDS.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{person === undefined ? <Skeleton /> : text(person) || <span className="quiet">–</span>}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

function totalOf({ earned, rounding }: NonNullable<Entry['explanation']>): string {
  return sumOf([...earned.map(({ points }) => points), rounding])
}
