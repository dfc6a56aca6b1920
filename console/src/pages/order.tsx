import { Link } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { useIdInPath } from '../address.ts'
import { Refused } from '../api.ts'
import { attributesText, attributeText, haveAttributes, sortedAttributes } from '../attributes.ts'
import { grouped, signed, sumOf } from '../exact.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Figures } from '../parts/figures.tsx'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { Waterfall } from '../parts/waterfall.tsx'
import { useResponse } from '../responses.ts'
import { StatusBadge } from './orders.tsx'
import { PlayerLink } from './players.tsx'

type Recorded = RouteResponse<'GET /api/admin/orders/:order_id'>
type Line = Recorded['lines'][number]

const LINE_COLUMNS: Column<Line>[] = [
  { name: 'Product', text: ({ sku }) => sku ?? '', show: ({ sku }) => sku ?? <span className="quiet">not named</span> },
  { name: 'Quantity', text: ({ qty }) => qty, show: ({ qty }) => grouped(qty), kind: 'number' },
  {
    name: 'Amount',
    text: ({ amount }) => amount ?? null,
    show: ({ amount }) => (amount === undefined ? 'catalogue price' : grouped(amount)),
    kind: 'number',
  },
]
const REFUNDED: Column<Line> = {
  name: 'Refunded',
  text: ({ refunded }) => (refunded === undefined ? null : refundText(refunded)),
  show: ({ refunded }) => (refunded === undefined ? '' : refundText(refunded)),
  kind: 'number',
}

const ATTRIBUTES: Column<Line> = {
  name: 'Attributes',
  text: ({ attributes }) => attributesText(attributes),
  kind: 'wrap',
}

/** The columns of refunds and attributes only where there are any. */
function columnsFor(lines: readonly Line[] | undefined): Column<Line>[] {
  const hasRefunds = lines?.some(({ refunded }) => refunded !== undefined)
  return [...LINE_COLUMNS, ...(hasRefunds ? [REFUNDED] : []), ...(haveAttributes(lines) ? [ATTRIBUTES] : [])]
}

const ATTRIBUTE_COLUMNS: Column<readonly [string, unknown]>[] = [
  { name: 'Attribute', text: ([name]) => name },
  { name: 'Value', text: ([, value]) => attributeText(value), kind: 'wrap' },
]

function refundText(refunded: NonNullable<Line['refunded']>): string {
  return typeof refunded === 'string' ? grouped(refunded) : `${grouped(refunded.qty)} units`
}

export function Order() {
  const orderId = useIdInPath()
  const request = { params: { order_id: orderId }, query: { explain: 'true' } }
  const { data, error, isStale, retry } = useResponse('GET /api/admin/orders/:order_id', request)
  if (error instanceof Refused && error.status === 404)
    return (
      <Page title={orderId}>
        <Empty title="Order not found">
          <p>
            IDs must match exactly. <Link href="/orders">Find an order</Link> by the beginning of its ID.
          </p>
        </Empty>
      </Page>
    )
  return (
    <Page
      title={orderId}
      about={
        data === undefined ? (
          <Skeleton width="12rem" />
        ) : (
          <>
            <StatusBadge status={data.status} /> of <PlayerLink id={data.user_id} />, <Moment at={data.ordered_at} />
            {typeof data.currency === 'string' && `, in ${data.currency}`}
          </>
        )
      }
      actions={
        <>
          <Link href={`/try?order=${encodeURIComponent(orderId)}`} className="button">
            <Icon name="try" /> Open in Simulator
          </Link>
          <AsCurl requests={[{ name: 'GET /api/admin/orders/:order_id', request }]} />
        </>
      }
    >
      <Failure error={error} retry={retry} />
      <Figures
        isStale={isStale}
        figures={[
          {
            name: 'Points',
            definition: 'Current points of the player for this order, over all revisions.',
            value: data && String(data.points),
            note: data && pointsNote(data),
          },
          {
            name: 'Total',
            definition: 'The amount of the order as last recorded.',
            value: data?.total,
            note: data && data.discount !== '0' ? `less a discount of ${grouped(data.discount)}` : '',
          },
          {
            name: 'Program',
            definition:
              'The version in effect when the order was first recorded: later states of the order stay under it.',
            value: data && `version ${data.program}`,
            kind: 'text',
          },
          {
            name: 'Revisions',
            definition: 'Number of recorded states of the order; 1 if it never changed.',
            value: data && String(data.rev),
            note:
              data && data.rev > 1 ? (
                <>
                  last <Moment at={data.updated_at} />
                </>
              ) : (
                ''
              ),
          },
        ]}
      />
      <Revisions order={data} />
      <Section title="Lines" actions={<CsvButton name="lines" columns={columnsFor(data?.lines)} rows={data?.lines} />}>
        {data?.lines.length === 0 ? (
          <Empty title="No lines were sent" />
        ) : (
          <Table
            name="Lines"
            columns={columnsFor(data?.lines)}
            rows={data?.lines}
            keyOf={(_, index) => String(index)}
            isStale={isStale}
          />
        )}
      </Section>
      {data?.attributes !== undefined && (
        <Section title="Attributes">
          <Table
            name="Attributes"
            columns={ATTRIBUTE_COLUMNS}
            rows={sortedAttributes(data.attributes)}
            keyOf={([name]) => name}
            isStale={isStale}
          />
        </Section>
      )}
    </Page>
  )
}

function pointsNote({ referrer_points, points_redeemed = 0 }: Recorded): string {
  const toReferrer = referrer_points === 0 ? [] : [`${grouped(referrer_points)} to the referrer`]
  const redeemed = points_redeemed === 0 ? [] : [`${grouped(points_redeemed)} redeemed`]
  const both = [...toReferrer, ...redeemed].join(', ')
  return both === '' ? '' : `and ${both}`
}

/** What each state of the order led to, with its reasons. */
function Revisions({ order }: Readonly<{ order: Recorded | undefined }>) {
  return (
    <Section title="Points breakdown">
      {order === undefined && <Skeleton width="100%" height="8rem" />}
      {order?.revisions?.map((revision) => (
        <Revision key={revision.revision} {...revision} />
      ))}
      {order?.revisions !== undefined && order.revisions.length < order.rev && (
        <p className="quiet">These are the newest {grouped(order.revisions.length)} revisions.</p>
      )}
    </Section>
  )
}

function Revision({ explanation, revision, change, points, recorded_at }: NonNullable<Recorded['revisions']>[number]) {
  return (
    <div className="revision">
      <p>
        <strong>Revision {revision}</strong> <span className="badge">{change ?? 'recorded'}</span>{' '}
        <span className="number">{signed(points)} points</span>{' '}
        <span className="small">
          recorded <Moment at={recorded_at} />
        </span>
      </p>
      {explanation === undefined ? (
        <p className="quiet">No explanation stored.</p>
      ) : (
        <Waterfall
          explanation={explanation}
          points={sumOf([...explanation.earned.map((rule) => rule.points), explanation.rounding])}
        />
      )}
    </div>
  )
}
