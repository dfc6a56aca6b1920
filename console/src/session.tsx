/*
 * Who is signed in. When a session expires, the page stays as it is, with what was typed: sign-in opens above it.
 */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { askSession, onSignedOut, Refused, type Session } from './api.ts'
import { Failure } from './parts/states.tsx'
import { queryClient } from './responses.ts'
import { SignIn, SignInByLink, SignInDialog } from './sign-in.tsx'
import { supportedZone, ZoneContext } from './zone.ts'

type SessionState = Readonly<{
  session: Session
  signOut: () => Promise<void>
}>

/** How often it is asked who is signed in, and whether the program has another time zone. */
const SESSION_MS = 60_000

/** The other tabs of this browser, which have the same cookie: they are told when somebody signs in. */
const otherTabs = new BroadcastChannel('laurel-session')

const SessionContext = createContext<SessionState | undefined>(undefined)

/** The scopes that a scope includes. */
const INCLUDES: Readonly<Record<string, readonly string[]>> = { support: ['read'] }

export function useSession(): SessionState {
  return useContext(SessionContext)!
}

/** Whether the signed-in token has one of these scopes. */
export function useMay(...wanted: readonly string[]): boolean {
  const { scopes } = useSession().session
  return scopes.some(
    (scope) => scope === 'admin' || [scope, ...(INCLUDES[scope] ?? [])].some((one) => wanted.includes(one)),
  )
}

/** Its own id; that of the token, if it is the token itself that is sent. */
export function idOfSession({ session, token }: Session): string {
  return session?.id ?? token.id
}

export function SessionGate({ children }: Readonly<{ children: ReactNode }>) {
  const [session, setSession] = useState<Session>()
  const [stage, setStage] = useState<'asking' | 'in' | 'out' | 'expired'>('asking')
  const [error, setError] = useState<Error>()
  /** Who is signed in, and the code of the link that would replace the session. */
  const [replacing, setReplacing] = useState<Readonly<{ session: Session; code: string }>>()
  const enter = useCallback((entered: Session) => {
    setSession(entered)
    setStage('in')
    setError(undefined)
    otherTabs.postMessage('entered')
    // Asked again, it would be recorded as a look of whoever has entered (reveal.ts).
    queryClient.removeQueries({ queryKey: ['revealed'] })
    void queryClient.invalidateQueries()
  }, [])
  const signInWith = useCallback(
    (code: string) => {
      setReplacing(undefined)
      askSession('POST', { code }).then(enter, (failure: Error) => {
        setStage('out')
        setError(failure)
      })
    },
    [enter],
  )
  const start = useCallback(() => {
    const code = codeInAddress()
    askSession('GET').then(
      // A link that somebody sent must not replace a session unnoticed.
      (session) => (code === undefined ? enter(session) : setReplacing({ session, code })),
      (failure: Error) => {
        const isSignedOut = failure instanceof Refused && failure.isSignedOut
        if (isSignedOut && code !== undefined) return signInWith(code)
        setStage('out')
        if (!isSignedOut) setError(failure)
      },
    )
  }, [enter, signInWith])
  useEffect(start, [start])
  useEffect(() => onSignedOut(() => setStage((before) => (before === 'in' ? 'expired' : before))), [])
  useEffect(() => {
    if (session === undefined) return
    const ask = () =>
      askSession('GET').then(
        (now) => {
          // What this tab shows and asks belongs to somebody else: nothing of it may go on under the new name.
          if (now.token.id !== session.token.id) location.reload()
          else if (idOfSession(now) !== idOfSession(session)) enter(now)
          else if (now.time_zone !== session.time_zone) setSession(now)
        },
        () => undefined,
      )
    otherTabs.addEventListener('message', ask)
    const timer = stage === 'in' ? setInterval(ask, SESSION_MS) : undefined
    return () => {
      otherTabs.removeEventListener('message', ask)
      clearInterval(timer)
    }
  }, [stage, session, enter])
  const signOut = useCallback(async () => {
    await askSession('DELETE').catch(() => undefined)
    queryClient.clear()
    setSession(undefined)
    setStage('out')
  }, [])
  const state = useMemo(() => (session === undefined ? undefined : { session, signOut }), [session, signOut])

  if (replacing !== undefined)
    return (
      <SignInByLink
        name={replacing.session.token.name}
        onStay={() => {
          setReplacing(undefined)
          enter(replacing.session)
        }}
        onReplace={() => signInWith(replacing.code)}
      />
    )
  if (stage === 'asking') return null
  if (stage === 'out' || state === undefined)
    return <SignIn onEnter={enter} notice={error === undefined ? undefined : <Failure error={error} retry={start} />} />
  return (
    <SessionContext value={state}>
      <ZoneContext value={supportedZone(state.session.time_zone)}>
        {children}
        {stage === 'expired' && <SignInDialog onEnter={enter} />}
      </ZoneContext>
    </SessionContext>
  )
}

/** The code of a one-time link. It is removed from the URL at once: it works only once, and nobody should read it there. */
function codeInAddress(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code === null) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  return code
}
