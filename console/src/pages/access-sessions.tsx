import { useState } from 'react'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { ask } from '../api.ts'
import { agoText } from '../moments.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Dialog, DialogFooter } from '../parts/dialog.tsx'
import { Ago, Moment } from '../parts/moment.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { useRequest } from '../request.ts'
import { useInvalidate, useResponse } from '../responses.ts'
import { useSession } from '../session.tsx'

type Session = RouteResponse<'GET /api/admin/sessions'>['sessions'][number]

const EVERY_MS = 10_000

export function Sessions() {
  const { session, signOut } = useSession()
  const invalidate = useInvalidate()
  const [ending, setEnding] = useState<Session>()
  const { run, failure, busy, clear } = useRequest()
  const { data, error, isStale, retry, answeredAtMs } = useResponse(
    'GET /api/admin/sessions',
    {},
    { everyMs: EVERY_MS },
  )
  const currentId = session.session?.id
  const columns: Column<Session>[] = [
    {
      name: 'Signed in as',
      kind: 'wrap',
      text: ({ name }) => name,
      show: ({ id, name, token_id }) => (
        <span className="named">
          <span>
            {name ?? token_id} {id === currentId && <span className="badge good">this browser</span>}
          </span>
          <span className="small mono">{id}</span>
        </span>
      ),
    },
    { name: 'Browser', text: ({ browser }) => browser },
    {
      name: 'Last used',
      text: ({ last_used_at }) => last_used_at,
      show: ({ last_used_at }) => <Ago at={last_used_at} text={lastUsedText(last_used_at)} />,
    },
    { name: 'Signed in', text: ({ created_at }) => created_at, show: ({ created_at }) => <Moment at={created_at} /> },
    {
      name: 'Expires',
      text: ({ expires_at }) => expires_at,
      show: ({ expires_at }) => <Ago at={expires_at} />,
    },
  ]
  const actions: Column<Session> = {
    name: 'Actions',
    kind: 'actions',
    text: () => null,
    show: (one) => (
      <button
        type="button"
        className="link danger"
        onClick={() => {
          clear()
          setEnding(one)
        }}
      >
        End<span className="hidden"> the session of {one.name}</span>
      </button>
    ),
  }
  const end = ({ id }: Session) =>
    run(async () => {
      if (id === currentId) return await signOut()
      await ask('DELETE /api/admin/sessions/:id', { params: { id } })
      await invalidate('GET /api/admin/sessions')
      setEnding(undefined)
    })
  if (error !== null && data === undefined) return <Failure error={error} retry={retry} />
  return (
    <>
      <div className="bar-of-list">
        <p className="quiet">A session expires 30 minutes after its last use, after 12 hours, or with its token.</p>
        <CsvButton name="sessions" columns={columns} rows={data?.sessions} />
        <AsCurl requests={[{ name: 'GET /api/admin/sessions' }]} />
      </div>
      <Failure error={error} retry={retry} since={answeredAtMs} />
      {data?.sessions.length === 0 ? (
        <Empty title="No sessions">
          <p>You are using a token without a session. Browsers that sign in to the console appear here.</p>
        </Empty>
      ) : (
        <Table
          name="Sessions"
          columns={[...columns, actions]}
          rows={data?.sessions}
          keyOf={({ id }) => id}
          isStale={isStale}
          expected={3}
        />
      )}
      {ending !== undefined && (
        <Dialog
          title={ending.id === currentId ? 'Sign out of this browser?' : 'End this session?'}
          onClose={() => setEnding(undefined)}
        >
          <p>
            {ending.id === currentId ? 'You' : (ending.name ?? ending.token_id)} will have to sign in again in{' '}
            {ending.browser === 'other' ? 'that browser' : ending.browser}, within a second. The token stays valid:
            revoke it to block access.
          </p>
          <Failure error={failure} />
          <DialogFooter
            label={ending.id === currentId ? 'Sign out' : 'End session'}
            onDo={() => end(ending)}
            onCancel={() => setEnding(undefined)}
            kind="danger"
            disabled={busy}
          />
        </Dialog>
      )}
    </>
  )
}

/** Use is recorded to the minute. */
function lastUsedText(timestamp: string): string {
  return Date.now() - Date.parse(timestamp) < 120_000 ? 'just now' : agoText(timestamp)
}
