import { useState } from 'react'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { agoText } from '../moments.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { Icon } from '../parts/icon.tsx'
import { Ago, Moment } from '../parts/moment.tsx'
import { Segments } from '../parts/segments.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { CreateTokenDialog, RevokeTokenDialog, RotateTokenDialog } from '../parts/token-dialogs.tsx'
import { useResponse } from '../responses.ts'
import { ROLES, roleOf } from '../scopes.ts'
import { useSession } from '../session.tsx'
import { useUrlState } from '../url-state.ts'

export type Token = RouteResponse<'GET /api/admin/tokens'>['tokens'][number]

const EVERY_MS = 15_000
/** A token that expires within this time is highlighted. */
const EXPIRES_SOON_MS = 14 * 86_400_000

type Shown = Readonly<{ token: Token; isOwn: boolean; ended: 'revoked' | 'expired' | undefined; expiresSoon: boolean }>

export function Tokens() {
  const { session } = useSession()
  const [which, setWhich] = useUrlState('show', 'good')
  const [rotating, setRotating] = useState<Token>()
  const [revoking, setRevoking] = useState<Token>()
  const { data, error, isStale, retry, answeredAtMs } = useResponse('GET /api/admin/tokens', {}, { everyMs: EVERY_MS })
  const all = data?.tokens.map((token) => shownOf(token, session.token.id))
  const good = all?.filter(({ ended }) => ended === undefined)
  const rows = which === 'ended' ? all?.filter(({ ended }) => ended !== undefined) : good
  const isLastAdmin = (token: Token) =>
    token.scopes.includes('admin') && good?.filter(({ token }) => token.scopes.includes('admin')).length === 1
  const actions: Column<Shown> = {
    name: 'Actions',
    kind: 'actions',
    text: () => null,
    show: ({ token }) => (
      <>
        <button type="button" className="link" onClick={() => setRotating(token)}>
          Rotate<span className="hidden"> {token.name}</span>
        </button>
        <button type="button" className="link danger" onClick={() => setRevoking(token)}>
          Revoke<span className="hidden"> {token.name}</span>
        </button>
      </>
    ),
  }
  if (error !== null && data === undefined) return <Failure error={error} retry={retry} />
  return (
    <>
      <div className="bar-of-list">
        <Segments
          name="Token state"
          choices={{ good: 'In use', ended: 'Ended' }}
          value={which === 'ended' ? 'ended' : 'good'}
          onChange={setWhich}
        />
        <CsvButton name="tokens" columns={COLUMNS} rows={rows} />
        <AsCurl requests={[{ name: 'GET /api/admin/tokens' }]} />
      </div>
      <Failure error={error} retry={retry} since={answeredAtMs} />
      {rows?.length === 0 ? (
        <Empty title={which === 'ended' ? 'No ended tokens' : 'No tokens'}>
          <p>Revoked, rotated and expired tokens stay listed here, so that their audit entries keep a name.</p>
        </Empty>
      ) : (
        <Table
          name="Tokens"
          columns={which === 'ended' ? COLUMNS : [...COLUMNS, actions]}
          rows={rows}
          keyOf={({ token }) => token.id}
          isStale={isStale}
        />
      )}
      {rotating !== undefined && (
        <RotateTokenDialog
          token={rotating}
          isOwn={rotating.id === session.token.id}
          onClose={() => setRotating(undefined)}
        />
      )}
      {revoking !== undefined && (
        <RevokeTokenDialog
          token={revoking}
          isOwn={revoking.id === session.token.id}
          isLastAdmin={isLastAdmin(revoking)}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  )
}

export function CreateToken() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Guarded scope="admin" className="button primary" onClick={() => setOpen(true)}>
        <Icon name="plus" /> Create token
      </Guarded>
      {isOpen && <CreateTokenDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function shownOf(token: Token, currentId: string): Shown {
  const now = Date.now()
  const endsAt = token.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(token.expires_at)
  return {
    token,
    isOwn: token.id === currentId,
    ended: token.revoked_at !== null ? 'revoked' : endsAt <= now ? 'expired' : undefined,
    expiresSoon: endsAt - now < EXPIRES_SOON_MS,
  }
}

const COLUMNS: Column<Shown>[] = [
  {
    name: 'Token',
    kind: 'wrap',
    text: ({ token }) => token.name,
    show: ({ token, isOwn }) => (
      <span className="named">
        <span>
          {token.name} {isOwn && <span className="badge good">yours</span>}
        </span>
        <span className="small mono">{token.id}</span>
      </span>
    ),
  },
  {
    name: 'Scopes',
    kind: 'wrap',
    text: ({ token }) => token.scopes.join(' '),
    show: ({ token }) => <RoleOrScopes {...token} />,
  },
  {
    name: 'Last used',
    text: ({ token }) => token.last_used_at,
    show: ({ token: { last_used_at } }) =>
      last_used_at === null ? (
        <span className="quiet">never</span>
      ) : (
        <Ago at={last_used_at} text={usedText(last_used_at)} />
      ),
  },
  { name: 'Created', text: ({ token }) => token.created_at, show: ({ token }) => <Moment at={token.created_at} /> },
  {
    name: 'Expires',
    text: ({ token }) => token.revoked_at ?? token.expires_at,
    show: ({ token, ended, expiresSoon }) =>
      ended === 'revoked' ? (
        <>
          revoked <Moment at={token.revoked_at!} />
        </>
      ) : token.expires_at === null ? (
        <span className="quiet">never</span>
      ) : (
        <span className={expiresSoon && ended === undefined ? 'warn' : ''}>
          {ended === 'expired' && 'expired '}
          {expiresSoon && ended === undefined ? <Ago at={token.expires_at} /> : <Moment at={token.expires_at} />}
        </span>
      ),
  },
]

/** Use is recorded to the hour. */
function usedText(timestamp: string): string {
  return Date.now() - Date.parse(timestamp) < 2 * 3_600_000 ? 'within the hour' : agoText(timestamp)
}

function RoleOrScopes({ scopes }: Readonly<{ scopes: readonly string[] }>) {
  const role = roleOf(scopes)
  if (role !== undefined)
    return (
      <span className="badge" title={scopes.join(', ')}>
        {ROLES[role].name}
      </span>
    )
  return (
    <span className="badges">
      {scopes.map((scope) => (
        <code key={scope} className="badge">
          {scope}
        </code>
      ))}
    </span>
  )
}
