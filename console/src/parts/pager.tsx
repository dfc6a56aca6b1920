import { useUrlState } from '../url-state.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

/** Pages follow a cursor: each costs as much as the first one, and there is no total. */
export function Pager({ after, name = 'after' }: Readonly<{ after: string | null | undefined; name?: string }>) {
  const [at, go] = useUrlState(name)
  if (at === '' && (after ?? null) === null) return null
  return (
    <nav className="pager" aria-label="Pages of the list">
      <Button disabled={at === ''} onClick={() => go('')}>
        <Icon name="left" /> First page
      </Button>
      <Button disabled={(after ?? null) === null} onClick={() => go(after ?? '')}>
        Next page <Icon name="right" />
      </Button>
    </nav>
  )
}
