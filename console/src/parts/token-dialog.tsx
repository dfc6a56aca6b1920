import { type FormEvent, useState } from 'react'
import type { Answer } from '../../../src/http/routes/answers.ts'
import { useForget } from '../answers.ts'
import { ask } from '../api.ts'
import { CopyButton } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'

type Token = Answer<'GET /api/admin/tokens'>['tokens'][number]
type Issued = Answer<'POST /api/admin/tokens'>
export type TokenAct = Readonly<{ kind: 'create' } | { kind: 'rotate' | 'revoke'; token: Token }>

/** Scopes by who needs them; a token may also have single ones. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  'a checkout that shows points': ['predict'],
  'the shop: players, products, orders': ['predict', 'players', 'products', 'orders'],
  'a storefront that shows a balance': ['account'],
  'a person who looks at figures (viewer)': ['read'],
  'a person who answers customers (support)': ['support', 'redeem', 'account'],
  'a person who writes programs (editor)': ['read', 'program'],
  'a person who publishes them (publisher)': ['read', 'program', 'publish'],
  Prometheus: ['metrics'],
  'an administrator': ['admin'],
}

export function TokenDialog({ act, onClose }: Readonly<{ act: TokenAct; onClose: () => void }>) {
  const forget = useForget()
  const [issued, setIssued] = useState<Issued>()
  const [failure, setFailure] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const run = async (work: () => Promise<Issued | undefined>) => {
    setBusy(true)
    setFailure(undefined)
    try {
      const made = await work()
      await forget('GET /api/admin/tokens')
      if (made === undefined) onClose()
      else setIssued(made)
    } catch (error) {
      setFailure(error as Error)
    } finally {
      setBusy(false)
    }
  }
  if (issued !== undefined) return <IssuedToken issued={issued} onClose={onClose} />
  if (act.kind === 'create') return <CreateToken run={run} failure={failure} busy={busy} onClose={onClose} />
  const { id, name } = act.token
  const isRotation = act.kind === 'rotate'
  const carryOut = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const overlap = String(new FormData(event.currentTarget).get('overlap') ?? '')
    return run(() =>
      isRotation
        ? ask('POST /api/admin/tokens/:id/rotate', { params: { id }, query: { overlap: overlap || undefined } })
        : ask('POST /api/admin/tokens/:id/revoke', { params: { id } }).then(() => undefined),
    )
  }
  return (
    <Dialog title={isRotation ? `Rotate ${name}?` : `Revoke ${name}?`} onClose={onClose}>
      <form className="form" onSubmit={carryOut}>
        <p>
          {isRotation
            ? 'A new token takes its place, with the same name, scopes and expiry.'
            : 'It is refused from then on, everywhere within a second, and sessions that began with it end.'}
        </p>
        {isRotation && (
          <label className="field">
            <span>The old one ends</span>
            <select name="overlap" defaultValue="24h">
              <option value="">at once</option>
              <option value="1h">in an hour</option>
              <option value="24h">in a day</option>
              <option value="7d">in a week</option>
            </select>
          </label>
        )}
        <Failure error={failure} />
        <footer>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className={`button ${isRotation ? 'primary' : 'danger'}`} disabled={busy}>
            {isRotation ? 'Rotate' : 'Revoke'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

function CreateToken({
  run,
  failure,
  busy,
  onClose,
}: Readonly<{
  run: (work: () => Promise<Issued>) => Promise<void>
  failure: Error | undefined
  busy: boolean
  onClose: () => void
}>) {
  const create = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const day = String(form.get('expires'))
    const data = {
      name: String(form.get('name')),
      scopes: ROLES[String(form.get('role'))],
      ...(day === '' ? {} : { expires_at: `${day}T00:00:00Z` }),
    }
    return run(() => ask('POST /api/admin/tokens', { data }))
  }
  return (
    <Dialog title="Create a token" onClose={onClose}>
      <form className="form" onSubmit={create}>
        <label className="field">
          <span>Name</span>
          <input name="name" required maxLength={200} />
          <span className="hint">Who or what it is for. A person should have one of their own.</span>
        </label>
        <label className="field">
          <span>For</span>
          <select name="role">
            {Object.entries(ROLES).map(([name, scopes]) => (
              <option key={name} value={name}>
                {name}: {scopes.join(', ')}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Ends on</span>
          <input name="expires" type="date" />
          <span className="hint">Never, if empty.</span>
        </label>
        <Failure error={failure} />
        <footer>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={busy}>
            Create
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

function IssuedToken({ issued, onClose }: Readonly<{ issued: Issued; onClose: () => void }>) {
  return (
    <Dialog title={`The token ${issued.name}`} onClose={onClose}>
      <p>Copy it now: it is shown only this once, and kept nowhere.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <pre className="code wrap" tabIndex={0}>
        {issued.token}
      </pre>
      <footer>
        <CopyButton text={issued.token} />
        <button type="button" className="button primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  )
}
