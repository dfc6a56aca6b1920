import { Link, useLocation, useSearch } from 'wouter'

/** Parts of a page, each with its own URL. */
export function Tabs<Key extends string>({
  name,
  tabs,
  tab,
}: Readonly<{ name: string; tabs: Readonly<Record<Key, string>>; tab: Key }>) {
  const [path] = useLocation()
  const search = useSearch()
  const [first] = Object.keys(tabs)
  const addressOf = (key: string) => {
    const next = new URLSearchParams(search)
    next.delete('after')
    if (key === first) next.delete('tab')
    else next.set('tab', key)
    const text = next.toString()
    return text === '' ? path : `${path}?${text}`
  }
  return (
    <nav className="tabs" aria-label={name}>
      {(Object.entries(tabs) as [Key, string][]).map(([key, text]) => (
        <Link key={key} href={addressOf(key)} aria-current={key === tab ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  )
}
