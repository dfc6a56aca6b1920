import { useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Link, useLocation } from 'wouter'
import { Unreachable } from './api.ts'
import { useKeys } from './keys.ts'
import { MENU, MENU_ITEMS } from './menu.ts'
import { Icon, type IconName } from './parts/icon.tsx'
import { closePop, Pop } from './parts/pop.tsx'
import { useSession } from './session.tsx'
import { type Theme, useTheme } from './theme.ts'
import { useZone } from './zone.ts'

const Palette = lazy(() => import('./parts/palette.tsx').then(({ Palette }) => ({ default: Palette })))
const KeysDialog = lazy(() => import('./parts/keys-dialog.tsx').then(({ KeysDialog }) => ({ default: KeysDialog })))

/** The frame of every page: the menu, search, and who is signed in. */
export function Shell({ children }: Readonly<{ children: ReactNode }>) {
  const [open, setOpen] = useState<'palette' | 'keys'>()
  const [path, go] = useLocation()
  const main = useRef<HTMLElement>(null)
  const seen = useRef(path)
  useKeys({
    'ctrl k': () => setOpen('palette'),
    '?': () => setOpen('keys'),
    '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus(),
    ...Object.fromEntries(MENU_ITEMS.map(({ keys, to }) => [keys, () => go(to)])),
  })
  useEffect(() => {
    if (seen.current === path) return
    seen.current = path
    // A new page begins at its top, for eyes and for screen readers.
    scrollTo(0, 0)
    main.current?.focus({ preventScroll: true })
  }, [path])
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="side">
        <Link href="/" className="brand">
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" /> Laurel
        </Link>
        <ZoneName />
        <button type="button" className="search" onClick={() => setOpen('palette')}>
          <Icon name="search" /> <span>Search or go to</span> <kbd>Ctrl K</kbd>
        </button>
        <nav className="menu" aria-label="Pages">
          {MENU.map(({ name, items }) => (
            <div key={name}>
              <h2>{name}</h2>
              <ul>
                {items.map(({ to, name, icon }) => (
                  <li key={to}>
                    <Link href={to} aria-current={isWithin(path, to) ? 'page' : undefined}>
                      <Icon name={icon} /> {name}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <Account onKeys={() => setOpen('keys')} />
      </header>
      <div>
        <ConnectionBanner />
        <main id="main" ref={main} tabIndex={-1}>
          {children}
        </main>
      </div>
      <Suspense>
        {open === 'palette' && <Palette onClose={() => setOpen(undefined)} />}
        {open === 'keys' && <KeysDialog onClose={() => setOpen(undefined)} />}
      </Suspense>
    </div>
  )
}

/** The only place that names the zone of days and times. */
function ZoneName() {
  const { time_zone } = useSession().session
  const zone = useZone()
  const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <p className="zone" title={zone === browserZone ? undefined : `This browser is in ${browserZone}.`}>
      Days and times in {zone}
      {zone !== time_zone && `: this browser does not support ${time_zone}`}
    </p>
  )
}

function isWithin(path: string, to: string): boolean {
  return to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)
}

const THEMES: readonly (readonly [Theme, string, IconName])[] = [
  ['system', 'System theme', 'screen'],
  ['light', 'Light', 'sun'],
  ['dark', 'Dark', 'moon'],
]

function Account({ onKeys }: Readonly<{ onKeys: () => void }>) {
  const { session, signOut } = useSession()
  const [theme, setTheme] = useTheme()
  return (
    <div className="foot">
      <Pop
        kind="list"
        className="choice account"
        label={
          <>
            <Icon name="players" />
            <span className="who">{session.token.name}</span>
            <span className="hidden">Account and appearance</span>
          </>
        }
      >
        <p className="small choice">
          {session.token.name}: {session.scopes.join(', ')}
        </p>
        <hr />
        {THEMES.map(([key, name, icon]) => (
          <button key={key} type="button" className="choice" aria-pressed={theme === key} onClick={() => setTheme(key)}>
            <Icon name={icon} /> {name}
          </button>
        ))}
        <hr />
        <button
          type="button"
          className="choice"
          onClick={(event) => {
            closePop(event.currentTarget)
            onKeys()
          }}
        >
          <Icon name="book" /> Keyboard shortcuts
        </button>
        <button type="button" className="choice" onClick={() => void signOut()}>
          <Icon name="out" /> Sign out
        </button>
      </Pop>
    </div>
  )
}

/** Says that the service cannot be reached, and that the page keeps trying. */
function ConnectionBanner() {
  const cache = useQueryClient().getQueryCache()
  const isLost = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => cache.findAll({ type: 'active' }).some((query) => query.state.error instanceof Unreachable),
  )
  return isLost ? (
    <div className="banner" role="status">
      <Icon name="alert" /> No response from the service. The page keeps its data and retries.
    </div>
  ) : null
}
