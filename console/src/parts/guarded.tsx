import type { ReactNode } from 'react'
import { useMay } from '../session.tsx'
import { Button } from './button.tsx'
import { Pop } from './pop.tsx'

/** A button for an action that needs a scope. Without the scope, the button says which one is missing. */
export function Guarded({
  scope,
  onClick,
  className = 'button',
  disabled = false,
  children,
}: Readonly<{
  scope: string
  onClick: () => void
  className?: string
  disabled?: boolean
  children: ReactNode
}>) {
  const may = useMay(scope)
  if (!may)
    return (
      <Pop className={`${className} denied`} label={children}>
        <p>
          Your token may not do this: it lacks the scope <code>{scope}</code>. A user with <code>admin</code> can create
          one that has it.
        </p>
      </Pop>
    )
  return (
    <Button className={className} onClick={onClick} disabled={disabled}>
      {children}
    </Button>
  )
}
