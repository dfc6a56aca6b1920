import { lazy, type ReactNode, Suspense } from 'react'
import { Button } from './button.tsx'

const OpenDialog = lazy(() => import('./base-dialog.tsx').then(({ OpenDialog }) => ({ default: OpenDialog })))

/** A modal dialog that keeps the keyboard focus. Escape and a click outside close it. Its code is loaded when the first one opens. */
export function Dialog(props: Readonly<{ title: string; onClose: () => void; children: ReactNode }>) {
  return (
    <Suspense>
      <OpenDialog {...props} />
    </Suspense>
  )
}

/** The buttons of a dialog: the way out, and the action itself, which submits the form if there is no `onDo`. */
export function DialogFooter({
  label,
  onDo,
  onCancel,
  cancelLabel = 'Cancel',
  kind = 'primary',
  disabled = false,
}: Readonly<{
  label: string
  onDo?: () => void
  onCancel: () => void
  cancelLabel?: string
  kind?: 'primary' | 'danger'
  disabled?: boolean
}>) {
  return (
    <footer>
      <button type="button" className="button" onClick={onCancel}>
        {cancelLabel}
      </button>
      <Button
        type={onDo === undefined ? 'submit' : 'button'}
        className={`button ${kind}`}
        onClick={onDo}
        disabled={disabled}
      >
        {label}
      </Button>
    </footer>
  )
}
