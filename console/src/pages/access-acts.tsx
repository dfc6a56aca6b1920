import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { agoText } from '../moments.ts'
import { AsCurl } from '../parts/copy.tsx'
import { withoutEmpty } from '../parts/id-list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { useResponse } from '../responses.ts'
import { useSetUrl, useUrlState } from '../url-state.ts'
import { PlayerLink } from './players.tsx'

type Act = RouteResponse<'GET /api/admin/audit-log'>['entries'][number]

const ACT_WORDS: Readonly<Record<Act['act'], string>> = {
  'signed-in': 'signed in',
  'session-ended': 'ended a session',
  'player-revealed': 'saw a player unmasked',
  'order-revealed': 'saw an order unmasked',
  'result-revealed': 'saw the result of a job unmasked',
  'player-exported': 'exported all data about a player',
  'player-erased': 'erased a player',
  'player-adjusted': "adjusted a player's points",
  'adjustment-undone': 'undid an adjustment',
  'balances-imported': 'imported balances',
  'token-created': 'created a token',
  'token-rotated': 'rotated a token',
  'token-revoked': 'revoked a token',
  'program-published': 'published a program',
  'program-withdrawn': 'withdrew a program',
  'draft-deleted': 'deleted a draft',
  'settings-changed': 'changed settings',
  'version-forgotten': 'reset a state version',
}

export function Acts() {
  const [after] = useUrlState('after')
  const [by] = useUrlState('by')
  const [act] = useUrlState('act')
  const set = useSetUrl()
  const tokens = useResponse('GET /api/admin/tokens')
  const request = { query: withoutEmpty({ by, act, after }) }
  const { data, error, isStale, retry, answeredAtMs } = useResponse('GET /api/admin/audit-log', request)
  if (error !== null && data === undefined) return <Failure error={error} retry={retry} />
  return (
    <>
      <div className="bar-of-list">
        <p className="quiet">Newest first; entries are never changed or deleted.</p>
        <CsvButton name="audit-log" columns={COLUMNS} rows={data?.entries} />
        <AsCurl requests={[{ name: 'GET /api/admin/audit-log', request }]} />
      </div>
      <div className="filter">
        <label className="field">
          <span>Who</span>
          <select value={by} onChange={({ target }) => set({ by: target.value, after: '' })} data-filter>
            <option value="">Everyone</option>
            {tokens.data?.tokens.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Action</span>
          <select value={act} onChange={({ target }) => set({ act: target.value, after: '' })}>
            <option value="">Anything</option>
            {Object.entries(ACT_WORDS).map(([kind, words]) => (
              <option key={kind} value={kind}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Failure error={error} retry={retry} since={answeredAtMs} />
      {data?.entries.length === 0 && (by !== '' || act !== '') ? (
        <Empty title="Nothing matches these filters" />
      ) : data?.entries.length === 0 ? (
        <Empty title="No audit entries yet">
          <p>
            Sign-ins, views of personal data, adjustments, and changes to tokens, programs and settings appear here.
          </p>
        </Empty>
      ) : (
        <>
          <Table
            name="Audit log"
            columns={COLUMNS}
            rows={data?.entries}
            keyOf={({ at, act, subject }, index) => `${at} ${act} ${subject} ${index}`}
            isStale={isStale}
            expected={12}
          />
          <Pager after={data?.after} />
        </>
      )}
    </>
  )
}

const COLUMNS: Column<Act>[] = [
  {
    name: 'When',
    text: ({ at }) => at,
    show: ({ at }) => <Moment at={at} more={agoText(at)} />,
  },
  {
    name: 'Who',
    kind: 'wrap',
    text: ({ name, by }) => name ?? by,
    show: ({ name, by }) => <span title={by}>{name ?? <span className="quiet">the service itself</span>}</span>,
  },
  { name: 'Action', text: ({ act }) => act, show: ({ act }) => ACT_WORDS[act] ?? act },
  { name: 'Target', kind: 'wrap', text: ({ subject }) => subject, show: subjectOf },
  {
    name: 'Details',
    kind: 'wrap',
    text: ({ detail }) => (Object.keys(detail).length === 0 ? null : JSON.stringify(detail)),
    show: ({ detail }) => <span className="quiet">{detailText(detail)}</span>,
  },
]

function subjectOf({ act, subject }: Act): ReactNode {
  const ofPlayers = ['player-revealed', 'player-exported', 'player-erased', 'player-adjusted', 'adjustment-undone']
  if (ofPlayers.includes(act)) return <PlayerLink id={subject} />
  if (act === 'order-revealed') return <Link href={`/orders/${encodeURIComponent(subject)}`}>{subject}</Link>
  return <span className="mono">{subject}</span>
}

function detailText(detail: Act['detail']): string {
  return Object.entries(detail)
    .map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}
