import { useState } from 'react'
import { Link } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { calendarDayText } from '../calendar-days.ts'
import { grouped } from '../exact.ts'
import { Guarded } from '../parts/guarded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Section } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { VoidDialog } from '../parts/redeem-dialogs.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { useResponse } from '../responses.ts'
import { useUrlState } from '../url-state.ts'
import { REDEMPTION_WORDS } from '../words.ts'

type Account = RouteResponse<'GET /api/players/:user_id'>
type Lot = NonNullable<Account['lots']>[number]
type Redemption = RouteResponse<'GET /api/players/:user_id/redemptions'>['redemptions'][number]

const LOT_COLUMNS: Column<Lot>[] = [
  { name: 'Points', text: ({ points }) => points, show: ({ points }) => grouped(points) },
  {
    name: 'Usable from',
    text: ({ usable_on }) => usable_on ?? null,
    show: ({ usable_on }) =>
      usable_on === undefined ? (
        'now'
      ) : (
        <span className="badge warn">{usable_on === null ? 'not known yet' : calendarDayText(usable_on)}</span>
      ),
  },
  {
    name: 'Expires on',
    text: ({ expires_on }) => expires_on,
    show: ({ expires_on }) =>
      expires_on === null ? <span className="quiet">never</span> : calendarDayText(expires_on),
  },
]
const PAGE = '25'

/** What a balance consists of on a day: lots by expiry, and what was held and redeemed. */
export function PlayerBalance({
  userId,
  account,
  isStale,
}: Readonly<{ userId: string; account: Account | undefined; isStale: boolean }>) {
  const [at, setAt] = useUrlState('at')
  return (
    <>
      <form className="filter" onSubmit={(event) => event.preventDefault()}>
        <label className="field">
          <span>Balance as of</span>
          <input type="date" value={at} onChange={({ target }) => setAt(target.value)} data-filter />
        </label>
        {at !== '' && (
          <button type="button" className="button" onClick={() => setAt('')}>
            Today
          </button>
        )}
      </form>
      <Lots account={account} isStale={isStale} isPast={at !== ''} />
      <Redemptions userId={userId} />
    </>
  )
}

function Lots({
  account,
  isStale,
  isPast,
}: Readonly<{ account: Account | undefined; isStale: boolean; isPast: boolean }>) {
  return (
    <Section
      title="Remaining points"
      actions={<CsvButton name="lots" columns={LOT_COLUMNS} rows={account?.lots ?? (account && [])} />}
    >
      {account !== undefined && (account.lots ?? []).length === 0 ? (
        <Empty title={account.lots === undefined ? 'No pending or expiring points' : 'No remaining points'}>
          <p>
            {account.lots === undefined
              ? 'Under every version of the program, points can be spent at once and never expire.'
              : isPast
                ? 'No available or pending points on that date.'
                : 'No available or pending points.'}
          </p>
        </Empty>
      ) : (
        <Table
          name="Remaining points"
          columns={LOT_COLUMNS}
          rows={account?.lots}
          keyOf={(_, index) => String(index)}
          isStale={isStale}
          expected={3}
        />
      )}
    </Section>
  )
}

const REDEMPTION_COLUMNS: Column<Redemption>[] = [
  { name: 'Redemption', text: ({ id }) => id },
  {
    name: 'State',
    text: ({ state }) => state,
    show: ({ state }) => (
      <span className={`badge ${state === 'held' ? 'warn' : ''}`}>{REDEMPTION_WORDS[state] ?? state}</span>
    ),
  },
  { name: 'Points', text: ({ points }) => points, show: ({ points }) => grouped(points), kind: 'number' },
  { name: 'Pays', text: ({ pays, reward }) => pays ?? reward ?? null, kind: 'number' },
  {
    name: 'Order',
    text: ({ order_id }) => order_id ?? null,
    show: ({ order_id }) =>
      order_id === undefined ? '' : <Link href={`/orders/${encodeURIComponent(order_id)}`}>{order_id}</Link>,
  },
  {
    name: 'Held until',
    text: ({ held_until }) => held_until ?? null,
    show: ({ held_until, state }) => (held_until === undefined || state !== 'held' ? '' : <Moment at={held_until} />),
  },
  { name: 'Reason', text: ({ reason }) => reason, kind: 'wrap' },
  { name: 'Created', text: ({ created_at }) => created_at, show: ({ created_at }) => <Moment at={created_at} /> },
]
const CAN_BE_VOIDED = ['held', 'confirmed']

function Redemptions({ userId }: Readonly<{ userId: string }>) {
  const [after] = useUrlState('redeemed')
  const request = { params: { user_id: userId }, query: { limit: PAGE, after: after === '' ? undefined : after } }
  const { data, error, isStale, retry } = useResponse('GET /api/players/:user_id/redemptions', request)
  const [voided, setVoided] = useState<Redemption>()
  const columns: Column<Redemption>[] = [
    ...REDEMPTION_COLUMNS,
    {
      name: 'Void',
      kind: 'actions',
      text: () => null,
      show: (one) =>
        CAN_BE_VOIDED.includes(one.state) && (
          <Guarded scope="redeem" className="link" onClick={() => setVoided(one)}>
            Void <span className="hidden">{one.id}</span>
          </Guarded>
        ),
    },
  ]
  return (
    <Section
      title="Holds and redemptions"
      actions={<CsvButton name="redemptions" columns={columns} rows={data?.redemptions} />}
    >
      <Failure error={error} retry={retry} />
      {data?.redemptions.length === 0 ? (
        <Empty title="No holds or redemptions without an order">
          <p>Points that paid for orders are listed among the entries. A checkout holds points with:</p>
          <pre className="code">POST /api/players/:user_id/redemptions</pre>
        </Empty>
      ) : (
        <Table
          name="Holds and redemptions"
          columns={columns}
          rows={data?.redemptions}
          keyOf={({ id }) => id}
          isStale={isStale}
          expected={3}
        />
      )}
      <Pager after={data?.after} name="redeemed" />
      {voided !== undefined && <VoidDialog userId={userId} redemption={voided} onClose={() => setVoided(undefined)} />}
    </Section>
  )
}
