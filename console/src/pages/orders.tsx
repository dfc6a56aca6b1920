import { Link } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { grouped } from '../exact.ts'
import { AsCurl } from '../parts/copy.tsx'
import { DaysFilter, PrefixFilter, useIdList } from '../parts/id-list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { NOTHING_WORDS } from '../words.ts'
import { PlayerLink } from './players.tsx'

type Order = RouteResponse<'GET /api/admin/orders'>['orders'][number]

export const ORDER_COLUMNS: Column<Order>[] = [
  {
    name: 'Order',
    text: ({ order_id }) => order_id,
    show: ({ order_id }) => <Link href={`/orders/${encodeURIComponent(order_id)}`}>{order_id}</Link>,
  },
  { name: 'Player', text: ({ user_id }) => user_id, show: ({ user_id }) => <PlayerLink id={user_id} /> },
  { name: 'State', text: ({ status }) => status, show: ({ status }) => <StatusBadge status={status} /> },
  { name: 'Total', text: ({ total }) => total, show: ({ total }) => grouped(total), kind: 'number' },
  { name: 'Points', text: ({ points }) => points, show: ({ points }) => grouped(points), kind: 'number' },
  { name: 'Program', text: ({ program }) => program, show: ({ program }) => `v${program}` },
  { name: 'Revisions', text: ({ rev }) => rev, kind: 'number' },
  { name: 'Ordered', text: ({ ordered_at }) => ordered_at, show: ({ ordered_at }) => <Moment at={ordered_at} /> },
]

export function StatusBadge({ status }: Readonly<{ status: string }>) {
  return <span className={status === 'placed' ? 'quiet' : 'badge warn'}>{status}</span>
}

export function Orders() {
  const { prefix, setPrefix, days, setDays, nothing, setNothing, isByTime, ...list } =
    useIdList('GET /api/admin/orders')
  const { request, data, error, isStale, retry, answeredAtMs } = list
  return (
    <Page
      title="Orders"
      about="Recorded orders by ID, or by date with the newest first. The page of an order has its points breakdown."
      actions={
        <>
          <CsvButton name="orders" columns={ORDER_COLUMNS} rows={data?.orders} />
          <AsCurl requests={[{ name: 'GET /api/admin/orders', request }]} />
        </>
      }
    >
      <div className="filters">
        <PrefixFilter label="Order ID begins with" prefix={prefix} setPrefix={setPrefix} />
        <DaysFilter days={days} setDays={setDays} />
        <div className="filter">
          <label className="field">
            <span>Zero-point reason</span>
            <select value={nothing} onChange={({ target }) => setNothing(target.value)}>
              <option value="">– (all orders)</option>
              {Object.entries(NOTHING_WORDS).map(([reason, words]) => (
                <option key={reason} value={reason}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        </div>
      </div>
      <Failure error={error} retry={retry} since={answeredAtMs} />
      {data?.orders.length === 0 ? (
        <Empty title={emptyTitle(nothing, isByTime, prefix)}>
          {!isByTime && prefix === '' && (
            <>
              <p>The shop records them, or you can import existing ones:</p>
              <pre className="code">npx --no laurel import orders orders.csv</pre>
            </>
          )}
        </Empty>
      ) : (
        <>
          <Table
            name="Orders"
            columns={ORDER_COLUMNS}
            rows={data?.orders}
            keyOf={({ order_id }) => order_id}
            isStale={isStale}
            expected={12}
          />
          <Pager after={data?.after} />
        </>
      )}
    </Page>
  )
}

function emptyTitle(nothing: string, isByTime: boolean, prefix: string): string {
  if (nothing !== '') return 'No zero-point orders for this reason in this period'
  if (isByTime) return 'No orders in this period'
  return prefix === '' ? 'No orders yet' : 'No order IDs with this prefix'
}
