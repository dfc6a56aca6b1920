import { Link } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { grouped } from '../exact.ts'
import { Moment } from '../parts/moment.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { useResponse } from '../responses.ts'
import { useUrlState } from '../url-state.ts'
import { DIFFERED_WORDS, OUTCOME_WORDS } from '../words.ts'

type Prediction = RouteResponse<'GET /api/admin/players/:user_id/predictions'>['predictions'][number]

const PAGE = '25'
const OUTCOME_COLOURS: Partial<Record<Prediction['outcome'], string>> = { 'came-true': 'good', differed: 'bad' }

const COLUMNS: Column<Prediction>[] = [
  {
    name: 'Order',
    text: ({ order_id }) => order_id,
    show: ({ order_id, recorded_at }) =>
      recorded_at === null ? order_id : <Link href={`/orders/${encodeURIComponent(order_id)}`}>{order_id}</Link>,
  },
  {
    name: 'Requested',
    text: ({ predicted_at }) => predicted_at,
    show: ({ predicted_at }) => <Moment at={predicted_at} />,
  },
  { name: 'Predicted', text: ({ points }) => points, show: ({ points }) => grouped(points), kind: 'number' },
  { name: 'Level', text: ({ level }) => level },
  { name: 'Program', text: ({ program }) => program, show: ({ program }) => `v${program}` },
  {
    name: 'Outcome',
    text: ({ outcome }) => outcome,
    show: ({ outcome }) => (
      <span className={`badge ${OUTCOME_COLOURS[outcome] ?? ''}`}>{OUTCOME_WORDS[outcome] ?? outcome}</span>
    ),
  },
  {
    name: 'Recorded',
    text: ({ recorded_points }) => recorded_points,
    show: ({ recorded_points, recorded_level, level, recorded_program, program }) =>
      recorded_points === null ? (
        ''
      ) : (
        <>
          {grouped(recorded_points)}
          {recorded_level !== level && `, ${recorded_level}`}
          {recorded_program !== program && `, v${recorded_program}`}
        </>
      ),
    kind: 'number',
  },
  {
    name: 'Differences',
    text: ({ reasons }) => reasons,
    show: ({ reasons }) =>
      (reasons ?? '')
        .split('+')
        .map((one) => DIFFERED_WORDS[one] ?? one)
        .join(', '),
    kind: 'wrap',
  },
]

/** What was predicted for the player before orders were recorded, and whether it came true. */
export function PlayerPredictions({ userId }: Readonly<{ userId: string }>) {
  const [after] = useUrlState('after')
  const request = { params: { user_id: userId }, query: { limit: PAGE, after: after === '' ? undefined : after } }
  const { data, error, isStale, retry } = useResponse('GET /api/admin/players/:user_id/predictions', request)
  return (
    <>
      <Failure error={error} retry={retry} />
      {data?.predictions.length === 0 ? (
        <Empty title="No stored predictions">
          <p>None was requested for this player recently; old predictions are deleted.</p>
        </Empty>
      ) : (
        <>
          <div className="actions">
            <p className="quiet">
              By order ID, in descending order. Orders are compared with the last prediction before recording.
            </p>
            <CsvButton name="predictions" columns={COLUMNS} rows={data?.predictions} />
          </div>
          <Table
            name="Predictions"
            columns={COLUMNS}
            rows={data?.predictions}
            keyOf={(_, index) => String(index)}
            isStale={isStale}
          />
          <Pager after={data?.after} />
        </>
      )}
    </>
  )
}
