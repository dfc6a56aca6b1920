import { useState } from 'react'
import type { Answer } from '../../../src/http/routes/answers.ts'
import { useAnswer, useForget } from '../answers.ts'
import { ask } from '../api.ts'
import { agoText, dayText, momentText } from '../moments.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { type TokenAct, TokenDialog } from '../parts/token-dialog.tsx'
import { useSession } from '../session.tsx'
import { useUrlState } from '../url-state.ts'

const TABS = { tokens: 'Tokens', sessions: 'Sessions', acts: 'Acts' } as const
type Tab = keyof typeof TABS
type Token = Answer<'GET /api/admin/tokens'>['tokens'][number]
type ListedSession = Answer<'GET /api/admin/sessions'>['sessions'][number]
type Act = Answer<'GET /api/admin/acts'>['acts'][number]

export function Access() {
  const [tabName] = useUrlState('tab', 'tokens')
  const tab = (tabName in TABS ? tabName : 'tokens') as Tab
  return (
    <Page title="Access" about="Who may, and who did?">
      <Tabs name="Access" tabs={TABS} tab={tab} />
      {tab === 'tokens' && <Tokens />}
      {tab === 'sessions' && <Sessions />}
      {tab === 'acts' && <Acts />}
    </Page>
  )
}

function stateOf({ revoked_at, expires_at }: Token): readonly [string, string] {
  const now = Date.now()
  if (revoked_at !== null && Date.parse(revoked_at) <= now) return ['revoked', '']
  if (expires_at !== null && Date.parse(expires_at) <= now) return ['expired', '']
  return expires_at === null ? ['good', 'good'] : [`until ${dayText(expires_at)}`, 'good']
}

function Tokens() {
  const [act, setAct] = useState<TokenAct>()
  const { data, error, isStale, retry } = useAnswer('GET /api/admin/tokens')
  const columns: Column<Token>[] = [
    { name: 'Name', text: ({ name }) => name, kind: 'wrap' },
    { name: 'Id', text: ({ id }) => id, show: ({ id }) => <code>{id}</code> },
    { name: 'Scopes', text: ({ scopes }) => scopes.join(' '), show: ({ scopes }) => scopes.join(', '), kind: 'wrap' },
    {
      name: 'State',
      text: (token) => stateOf(token)[0],
      show: (token) => {
        const [text, kind] = stateOf(token)
        return <span className={`badge ${kind}`}>{text}</span>
      },
    },
    {
      name: 'Last used',
      text: ({ last_used_at }) => last_used_at,
      show: ({ last_used_at }) =>
        last_used_at === null ? <span className="quiet">not known</span> : agoText(last_used_at),
    },
    {
      name: 'Actions',
      text: () => '',
      show: (token) =>
        stateOf(token)[1] === 'good' && (
          <span className="actions">
            <button type="button" className="link" onClick={() => setAct({ kind: 'rotate', token })}>
              Rotate<span className="hidden"> {token.name}</span>
            </button>
            <button type="button" className="link" onClick={() => setAct({ kind: 'revoke', token })}>
              Revoke<span className="hidden"> {token.name}</span>
            </button>
          </span>
        ),
    },
  ]
  return (
    <>
      <div className="actions">
        <Guarded scope="admin" className="button primary" onClick={() => setAct({ kind: 'create' })}>
          <Icon name="plus" /> Create a token
        </Guarded>
        <CsvButton name="tokens" columns={columns.slice(0, -1)} rows={data?.tokens} />
        <AsCurl requests={[{ name: 'GET /api/admin/tokens' }]} />
      </div>
      <Failure error={error} retry={retry} />
      {error === null && (
        <Table name="Tokens" columns={columns} rows={data?.tokens} keyOf={({ id }) => id} isStale={isStale} />
      )}
      {act !== undefined && <TokenDialog act={act} onClose={() => setAct(undefined)} />}
    </>
  )
}

function Sessions() {
  const { session } = useSession()
  const forget = useForget()
  const [failure, setFailure] = useState<Error>()
  const { data, error, isStale, retry } = useAnswer('GET /api/admin/sessions', {}, { everyMs: 10_000 })
  const end = (id: string) =>
    ask('DELETE /api/admin/sessions/:id', { params: { id } }).then(() => forget('GET /api/admin/sessions'), setFailure)
  const columns: Column<ListedSession>[] = [
    { name: 'Token', text: ({ name, token_id }) => name ?? token_id, kind: 'wrap' },
    {
      name: 'Browser',
      text: ({ browser }) => browser,
      show: ({ browser, id }) => (
        <>
          {browser} {id === session.session?.id && <span className="badge good">this one</span>}
        </>
      ),
    },
    { name: 'Since', text: ({ created_at }) => created_at, show: ({ created_at }) => momentText(created_at) },
    { name: 'Last used', text: ({ last_used_at }) => last_used_at, show: ({ last_used_at }) => agoText(last_used_at) },
    { name: 'Ends', text: ({ expires_at }) => expires_at, show: ({ expires_at }) => momentText(expires_at) },
    {
      name: 'Action',
      text: () => '',
      show: ({ id, name }) => (
        <button type="button" className="link" onClick={() => end(id)}>
          End<span className="hidden"> the session of {name}</span>
        </button>
      ),
    },
  ]
  return (
    <>
      <div className="actions">
        <p className="quiet">Browsers that are signed in. One that is ended is refused everywhere within a second.</p>
        <CsvButton name="sessions" columns={columns.slice(0, -1)} rows={data?.sessions} />
        <AsCurl requests={[{ name: 'GET /api/admin/sessions' }]} />
      </div>
      <Failure error={error ?? failure} retry={retry} />
      {error === null &&
        (data?.sessions.length === 0 ? (
          <Empty title="Nobody is signed in" />
        ) : (
          <Table name="Sessions" columns={columns} rows={data?.sessions} keyOf={({ id }) => id} isStale={isStale} />
        ))}
    </>
  )
}

const ACT_COLUMNS: Column<Act>[] = [
  { name: 'When', text: ({ at }) => at, show: ({ at }) => momentText(at) },
  { name: 'Who', text: ({ name, by }) => name ?? by, kind: 'wrap' },
  { name: 'What', text: ({ act }) => act, show: ({ act }) => act.replaceAll('-', ' ') },
  { name: 'On', text: ({ subject }) => subject, kind: 'wrap' },
  {
    name: 'More',
    text: ({ detail }) => JSON.stringify(detail),
    show: ({ detail }) =>
      Object.entries(detail)
        .map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(', '),
    kind: 'wrap',
  },
]

function Acts() {
  const [after] = useUrlState('after')
  const asked = { query: { after: after === '' ? undefined : after } }
  const { data, error, isStale, retry } = useAnswer('GET /api/admin/acts', asked)
  return (
    <>
      <div className="actions">
        <p className="quiet">What people did, newest first. Acts are never changed or deleted.</p>
        <CsvButton name="acts" columns={ACT_COLUMNS} rows={data?.acts} />
        <AsCurl requests={[{ name: 'GET /api/admin/acts', asked }]} />
      </div>
      <Failure error={error} retry={retry} />
      {error === null &&
        (data?.acts.length === 0 ? (
          <Empty title="Nobody has done anything yet">
            <p>
              Signing in, looking at personal data, adjusting, publishing, making tokens: each of these stands here.
            </p>
          </Empty>
        ) : (
          <>
            <Table
              name="Acts"
              columns={ACT_COLUMNS}
              rows={data?.acts}
              keyOf={({ at }, index) => `${at} ${index}`}
              isStale={isStale}
            />
            <Pager after={data?.after} />
          </>
        ))}
    </>
  )
}
