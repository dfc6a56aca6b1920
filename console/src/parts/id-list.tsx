import { type FormEvent, useEffect, useRef } from 'react'
import { useResponse } from '../responses.ts'
import { useSetUrl, useUrlState } from '../url-state.ts'

/** A page of a list by id; the cursor and the prefix are kept in the URL. A list of orders may have days and a reason instead. */
export function useIdList<Name extends IdList>(name: Name) {
  const [prefix] = useUrlState('prefix')
  const [after] = useUrlState('after')
  const [from] = useUrlState('from')
  const [to] = useUrlState('to')
  const set = useSetUrl()
  const [nothing] = useUrlState('nothing')
  const isByTime = name === 'GET /api/admin/orders' && `${from}${to}${nothing}` !== ''
  const filter = isByTime ? { from, to, nothing } : { prefix }
  const request = { query: withoutEmpty({ ...filter, after }) }
  return {
    prefix,
    setPrefix: (next: string) => set({ prefix: next, from: '', to: '', nothing: '', after: '' }),
    days: { from, to },
    setDays: (days: Days) => set({ ...days, prefix: '', after: '' }),
    nothing,
    setNothing: (reason: string) => set({ nothing: reason, prefix: '', after: '' }),
    isByTime,
    request,
    ...useResponse(name, request),
  }
}

type IdList = 'GET /api/admin/players' | 'GET /api/admin/orders' | 'GET /api/admin/products'
/** Either may be empty. */
type Days = Readonly<{ from: string; to: string }>

export function withoutEmpty(query: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
}

/** An input that follows the URL when it changes, and keeps the focus. */
function useShown(value: string) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (field.current !== null) field.current.value = value
  }, [value])
  return { ref: field, defaultValue: value }
}

/** Filters by a prefix of ids. */
export function PrefixFilter({
  label,
  prefix,
  setPrefix,
}: Readonly<{ label: string; prefix: string; setPrefix: (prefix: string) => void }>) {
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setPrefix(String(new FormData(event.currentTarget).get('prefix')).trim())
  }
  const shown = useShown(prefix)
  return (
    <form className="filter" onSubmit={find}>
      <label className="field">
        <span>{label}</span>
        <input name="prefix" type="search" {...shown} autoComplete="off" spellCheck={false} data-filter />
      </label>
      <button type="submit" className="button">
        Show
      </button>
    </form>
  )
}

/** Filters by days; either end may be left open. */
export function DaysFilter({ days, setDays }: Readonly<{ days: Days; setDays: (days: Days) => void }>) {
  const show = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setDays({ from: String(form.get('from')), to: String(form.get('to')) })
  }
  const [from, to] = [useShown(days.from), useShown(days.to)]
  return (
    <form className="filter" onSubmit={show}>
      <label className="field">
        <span>From</span>
        <input name="from" type="date" {...from} />
      </label>
      <label className="field">
        <span>To</span>
        <input name="to" type="date" {...to} />
      </label>
      <button type="submit" className="button">
        Show<span className="hidden"> this period</span>
      </button>
    </form>
  )
}
