import type { FormEvent } from 'react'
import { useAnswer } from '../answers.ts'
import { useUrlState } from '../url-state.ts'

/** A page of a list by id; where it begins, and how ids begin, stand in the address. */
export function useIdList<Name extends IdList>(name: Name) {
  const [prefix, setPrefix] = useUrlState('prefix')
  const [after] = useUrlState('after')
  const asked = { query: { prefix: prefix === '' ? undefined : prefix, after: after === '' ? undefined : after } }
  return { prefix, setPrefix, asked, ...useAnswer(name, asked) }
}

type IdList = 'GET /api/admin/players' | 'GET /api/admin/orders' | 'GET /api/admin/products'

/** Shows those whose ids begin as is written. */
export function PrefixFilter({
  label,
  prefix,
  setPrefix,
}: Readonly<{ label: string; prefix: string; setPrefix: (prefix: string) => void }>) {
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setPrefix(String(new FormData(event.currentTarget).get('prefix')).trim())
  }
  return (
    <form className="filter" onSubmit={find}>
      <label className="field">
        <span>{label}</span>
        <input name="prefix" type="search" defaultValue={prefix} autoComplete="off" spellCheck={false} data-filter />
      </label>
      <button type="submit" className="button">
        Show
      </button>
    </form>
  )
}
