import { type ReactNode, type ToggleEvent, useId, useRef } from 'react'

const GAP_PX = 6
const EDGE_PX = 8

type PopProps = Readonly<{
  /** The content of the button. */
  label: ReactNode
  children: ReactNode
  className?: string
  kind?: 'list' | 'wide'
  title?: string
}>

/** A button that opens a small panel beside it: the browser's own popover, which Escape and a click elsewhere close. */
export function Pop({ label, children, className = 'button', kind, title }: PopProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const place = (event: ToggleEvent<HTMLDivElement>) => {
    if (event.newState !== 'open' || button.current === null) return
    const panel = event.currentTarget
    const { bottom, top, left, right } = button.current.getBoundingClientRect()
    const { width, height } = panel.getBoundingClientRect()
    const room = document.documentElement.clientWidth
    const x = left + width + EDGE_PX > room ? right - width : left
    const y = bottom + GAP_PX + height > innerHeight && top > height + GAP_PX ? top - GAP_PX - height : bottom + GAP_PX
    panel.style.left = `${Math.max(EDGE_PX, Math.min(x, room - width - EDGE_PX))}px`
    panel.style.top = `${Math.max(EDGE_PX, y)}px`
  }
  return (
    <>
      <button ref={button} type="button" className={className} popoverTarget={id} title={title}>
        {label}
      </button>
      <div id={id} popover="auto" className={`pop ${kind ?? ''}`} onToggle={place}>
        {children}
      </div>
    </>
  )
}

/** Closes the panel around an element. */
export function closePop(element: Element): void {
  const panel = element.closest<HTMLElement>('[popover]')
  panel?.hidePopover()
}

/** A title with its definition. */
export function Defined({ name, children }: Readonly<{ name: string; children: ReactNode }>) {
  return (
    <Pop className="defined" label={name}>
      <p>{children}</p>
    </Pop>
  )
}
