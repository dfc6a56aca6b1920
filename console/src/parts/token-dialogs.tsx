/*
 * What can be done with tokens. Each change first says what it leads to; the text of a new token is shown once.
 */

import { type FormEvent, useState } from 'react'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { ask } from '../api.ts'
import { useRequest } from '../request.ts'
import { useInvalidate } from '../responses.ts'
import { ROLES, type Role, roleOf, SCOPE_NAMES, SCOPE_WORDS, type Scope } from '../scopes.ts'
import { CopyButton } from './copy.tsx'
import { Dialog, DialogFooter } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { Moment } from './moment.tsx'
import { Failure } from './states.tsx'

type Token = RouteResponse<'GET /api/admin/tokens'>['tokens'][number]
type Issued = RouteResponse<'POST /api/admin/tokens'>

const DAY_MS = 86_400_000
const LIVES = { '': 'Never', 30: 'In 30 days', 90: 'In 90 days', 365: 'In a year' } as const
const OVERLAPS = { '': 'Now', '1h': 'In an hour', '24h': 'In a day', '7d': 'In a week', '30d': 'In 30 days' } as const
/** Sends a change to the tokens: whether it failed, and whether it is in progress. */
function useTokenRequest<Answered>(send: () => Promise<Answered>, onDone: (response: Answered) => void) {
  const invalidate = useInvalidate()
  const { run, failure, busy } = useRequest()
  const sendAndForget = () =>
    run(async () => {
      onDone(await send())
      await invalidate('GET /api/admin/tokens', 'GET /api/admin/sessions', 'GET /api/admin/audit-log')
    })
  return { run: sendAndForget, failure, busy }
}

type Closing = Readonly<{ onClose: () => void }>

export function CreateTokenDialog({ onClose }: Closing) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(ROLES.viewer.scopes)
  const [life, setLife] = useState('')
  const [issued, setIssued] = useState<Issued>()
  const { run, failure, busy } = useTokenRequest(
    () =>
      ask('POST /api/admin/tokens', {
        data: {
          name: name.trim(),
          scopes,
          ...(life === '' ? {} : { expires_at: new Date(Date.now() + Number(life) * DAY_MS).toISOString() }),
        },
      }),
    setIssued,
  )
  if (issued !== undefined) return <SecretDialog issued={issued} onClose={onClose} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run()
  }
  const toggle = (scope: Scope) =>
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope])
  return (
    <Dialog title="Create a token" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <label className="field">
          <span>Name</span>
          <input
            value={name}
            onChange={(event) => setName(event.target.value)}
            required
            pattern=".*\S.*"
            maxLength={500}
            autoComplete="off"
          />
          <span className="hint">
            A person, or a system such as the till. Audit entries and sources are listed under this name.
          </span>
        </label>
        <div className="field">
          <label className="field">
            <span>Role</span>
            <select
              value={roleOf(scopes) ?? ''}
              onChange={({ target }) => setScopes(target.value === '' ? [] : ROLES[target.value as Role].scopes)}
            >
              {Object.entries(ROLES).map(([role, { name }]) => (
                <option key={role} value={role}>
                  {name}
                </option>
              ))}
              <option value="">None: just the scopes below</option>
            </select>
          </label>
          <fieldset className="scopes">
            <legend className="hidden">Scopes</legend>
            {SCOPE_NAMES.map((scope) => (
              <label key={scope} className="check">
                <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
                <span>
                  <code>{scope}</code> <span className="quiet">{SCOPE_WORDS[scope]}</span>
                </span>
              </label>
            ))}
          </fieldset>
        </div>
        <label className="field">
          <span>Expires</span>
          <select value={life} onChange={(event) => setLife(event.target.value)}>
            {Object.entries(LIVES).map(([days, name]) => (
              <option key={days} value={days}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Failure error={failure} />
        <DialogFooter label="Create" onCancel={onClose} disabled={busy || scopes.length === 0} />
      </form>
    </Dialog>
  )
}

type OfToken = Closing & Readonly<{ token: Token; isOwn: boolean }>

export function RotateTokenDialog({ token, isOwn, onClose }: OfToken) {
  const [overlap, setOverlap] = useState('24h')
  const [issued, setIssued] = useState<Issued>()
  const { run, failure, busy } = useTokenRequest(
    () =>
      ask('POST /api/admin/tokens/:id/rotate', {
        params: { id: token.id },
        query: { overlap: overlap === '' ? undefined : overlap },
      }),
    setIssued,
  )
  if (issued !== undefined) return <SecretDialog issued={issued} onClose={onClose} />
  return (
    <Dialog title={`Rotate ${token.name}`} onClose={onClose}>
      <p>
        A new token takes its place, with the same name, scopes and expiry. Until the old one expires, both are valid.
      </p>
      <label className="field">
        <span>The old one expires</span>
        <select value={overlap} onChange={(event) => setOverlap(event.target.value)}>
          {Object.entries(OVERLAPS)
            // Revoking the token that one is signed in with would sign one out before the new one is shown.
            .filter(([time]) => !(isOwn && time === ''))
            .map(([time, name]) => (
              <option key={time} value={time}>
                {name}
              </option>
            ))}
        </select>
        {isOwn && <span className="hint">You are signed in with it: sign in with the new one before then.</span>}
      </label>
      <Failure error={failure} />
      <DialogFooter label="Rotate" onDo={run} onCancel={onClose} disabled={busy} />
    </Dialog>
  )
}

export function RevokeTokenDialog({
  token,
  isOwn,
  isLastAdmin,
  onClose,
}: OfToken & Readonly<{ isLastAdmin: boolean }>) {
  const { run, failure, busy } = useTokenRequest(
    () => ask('POST /api/admin/tokens/:id/revoke', { params: { id: token.id } }),
    onClose,
  )
  const [isSure, setSure] = useState(false)
  return (
    <Dialog title={`Revoke ${token.name}?`} onClose={onClose}>
      <p>
        Its requests are refused within a second, and its sessions end. This cannot be undone.{' '}
        {token.last_used_at === null ? (
          'It has no recorded use.'
        ) : (
          <>
            It was last used in the hour from <Moment at={token.last_used_at} />.
          </>
        )}
      </p>
      {isLastAdmin && (
        <div className="notice bad">
          <span className="bad">
            <Icon name="alert" />
          </span>
          <span className="grow">
            <strong>This is the last token with the scope admin.</strong> Without it no one can create tokens here. A
            new one can then only be created where the service runs:{' '}
            <code>npx --no laurel token create NAME --scope admin</code>
            <label className="check">
              <input type="checkbox" checked={isSure} onChange={(event) => setSure(event.target.checked)} />
              revoke it anyway
            </label>
          </span>
        </div>
      )}
      {isOwn && (
        <div className="notice warn">
          <span className="warn">
            <Icon name="alert" />
          </span>
          <span className="grow">You are signed in with it, and will be signed out.</span>
        </div>
      )}
      <Failure error={failure} />
      <DialogFooter
        label="Revoke"
        onDo={run}
        onCancel={onClose}
        kind="danger"
        disabled={busy || (isLastAdmin && !isSure)}
      />
    </Dialog>
  )
}

/** Closed only by its button: a click outside would lose the only copy. */
function SecretDialog({ issued, onClose }: Closing & Readonly<{ issued: Issued }>) {
  return (
    <Dialog title={`The token ${issued.name}`} onClose={() => undefined}>
      <p>
        <strong>Copy it now.</strong> It is shown only once: the service stores only a digest of it.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is to be copied has to be reachable by keyboard */}
      <pre className="code wrap secret" tabIndex={0}>
        {issued.token}
      </pre>
      <p className="small">
        {issued.scopes.join(', ')};{' '}
        {issued.expires_at === null ? (
          'never expires'
        ) : (
          <>
            expires <Moment at={issued.expires_at} />
          </>
        )}
      </p>
      <footer>
        <CopyButton text={issued.token} name="Copy the token" />
        <button type="button" className="button primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  )
}
