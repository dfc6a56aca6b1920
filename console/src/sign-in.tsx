import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { askSession, Refused, type Session } from './api.ts'
import { Button } from './parts/button.tsx'
import { sentenceOf } from './parts/states.tsx'

type SignInProps = Readonly<{ onEnter: (session: Session) => void }>

export function SignIn({ onEnter, notice }: SignInProps & Readonly<{ notice?: ReactNode }>) {
  useEffect(() => {
    document.title = 'Sign in · Laurel'
  }, [])
  return (
    <main className="signin" id="main">
      <div>
        <p className="brand">
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" /> Laurel
        </p>
        <h1>Sign in</h1>
        {notice}
        <TokenForm onEnter={onEnter} />
        <p className="quiet">
          Or run <code>npx --no laurel console</code> where the service runs: it prints a sign-in link.
        </p>
      </div>
    </main>
  )
}

/** For a one-time link that was opened by somebody who is signed in already. */
export function SignInByLink({
  name,
  onStay,
  onReplace,
}: Readonly<{ name: string; onStay: () => void; onReplace: () => void }>) {
  return (
    <main className="signin" id="main">
      <div>
        <h1>Sign in with this link?</h1>
        <p>
          You are signed in with the token <strong>{name}</strong>. The link ends that session and starts a new one.
          Continue only if you requested the link yourself.
        </p>
        <Button className="button primary" onClick={onStay}>
          Stay signed in
        </Button>
        <Button className="button" onClick={onReplace}>
          Sign in with the link
        </Button>
      </div>
    </main>
  )
}

/** Above a page whose session has expired: nothing below it is lost. */
export function SignInDialog({ onEnter }: SignInProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="signin-again" onCancel={(event) => event.preventDefault()}>
      <h2 id="signin-again">Your session has ended</h2>
      <p className="quiet">Sign in again: the page and your input are kept.</p>
      <TokenForm onEnter={onEnter} />
    </dialog>
  )
}

function TokenForm({ onEnter }: SignInProps) {
  const [issue, setIssue] = useState('')
  const [busy, setBusy] = useState(false)
  const enter = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const token = String(new FormData(event.currentTarget).get('token')).trim()
    setBusy(true)
    setIssue('')
    try {
      onEnter(await askSession('POST', { token }))
    } catch (error) {
      const wrong = error instanceof Refused && error.isSignedOut
      setIssue(wrong ? 'Invalid, expired or revoked token.' : sentenceOf(error as Error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="field" onSubmit={enter}>
      <label className="field">
        <span>Token</span>
        <input
          name="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          // biome-ignore lint/a11y/noAutofocus: it is the only field
          autoFocus
          aria-invalid={issue !== ''}
          aria-describedby={issue === '' ? undefined : 'token-fault'}
        />
      </label>
      {issue !== '' && (
        <span className="fault" id="token-fault" role="alert">
          {issue}
        </span>
      )}
      <Button type="submit" className="button primary" disabled={busy}>
        Sign in
      </Button>
    </form>
  )
}
