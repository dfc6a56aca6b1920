import type { MouseEvent, ReactNode } from 'react'

/** A button that keeps the keyboard focus while it does nothing: a browser takes the focus from one that is `disabled`. */
export function Button({
  type = 'button',
  className = 'button',
  disabled = false,
  onClick,
  children,
}: Readonly<{
  type?: 'button' | 'submit'
  className?: string
  disabled?: boolean
  onClick?: (() => unknown) | undefined
  children: ReactNode
}>) {
  const click = (event: MouseEvent) => {
    // Enter in a field clicks the button that submits its form, too.
    if (disabled) event.preventDefault()
    else onClick?.()
  }
  return (
    <button type={type} className={className} aria-disabled={disabled || undefined} onClick={click}>
      {children}
    </button>
  )
}
