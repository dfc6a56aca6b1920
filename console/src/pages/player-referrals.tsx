import { Link } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { grouped, signed } from '../exact.ts'
import { Moment } from '../parts/moment.tsx'
import { Section } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { useResponse } from '../responses.ts'
import { useUrlState } from '../url-state.ts'
import { StatusBadge } from './orders.tsx'
import { PlayerLink } from './players.tsx'

type Order = RouteResponse<'GET /api/admin/orders'>['orders'][number]
type Person = RouteResponse<'GET /api/admin/players/:user_id'>

const PAGE = '25'

const COLUMNS: Column<Order>[] = [
  {
    name: 'Order',
    text: ({ order_id }) => order_id,
    show: ({ order_id }) => <Link href={`/orders/${encodeURIComponent(order_id)}`}>{order_id}</Link>,
  },
  { name: 'Friend', text: ({ user_id }) => user_id, show: ({ user_id }) => <PlayerLink id={user_id} /> },
  { name: 'State', text: ({ status }) => status, show: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Earned here',
    text: ({ referrer_points }) => referrer_points,
    show: ({ referrer_points }) => signed(referrer_points),
    kind: 'number',
  },
  { name: 'Earned by the friend', text: ({ points }) => points, show: ({ points }) => grouped(points), kind: 'number' },
  { name: 'Ordered', text: ({ ordered_at }) => ordered_at, show: ({ ordered_at }) => <Moment at={ordered_at} /> },
]

/** Who referred the player, and the orders of those whom the player referred. */
export function PlayerReferrals({ userId, person }: Readonly<{ userId: string; person: Person | undefined }>) {
  const [after] = useUrlState('after')
  const request = { query: { referrer_id: userId, limit: PAGE, after: after === '' ? undefined : after } }
  const { data, error, isStale, retry } = useResponse('GET /api/admin/orders', request)
  return (
    <>
      <dl className="facts">
        <div>
          <dt>Referred by, as sent by the shop</dt>
          <dd>{person === undefined ? <Skeleton /> : person.referred_by || <span className="quiet">no one</span>}</dd>
        </div>
        <div>
          <dt>Own code</dt>
          <dd>{person === undefined ? <Skeleton /> : person.refer_code || <span className="quiet">none</span>}</dd>
        </div>
      </dl>
      <Section title="Orders of friends" actions={<CsvButton name="referrals" columns={COLUMNS} rows={data?.orders} />}>
        <Failure error={error} retry={retry} />
        {data?.orders.length === 0 ? (
          <Empty title="No points for referrals yet">
            <p>
              Friends order with this player's code. The points are set under <code>referral</code> in the{' '}
              <Link href="/program">program</Link>.
            </p>
          </Empty>
        ) : (
          <Table
            name="Orders of friends"
            columns={COLUMNS}
            rows={data?.orders}
            keyOf={({ order_id }) => order_id}
            isStale={isStale}
          />
        )}
        <Pager after={data?.after} />
      </Section>
    </>
  )
}
