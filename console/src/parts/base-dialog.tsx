import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { type ReactNode, useLayoutEffect, useRef } from 'react'

/** A modal dialog that keeps the keyboard focus. Escape and a click outside close it. Another title is another step of the same dialog. */
export function OpenDialog({
  title,
  onClose,
  children,
}: Readonly<{ title: string; onClose: () => void; children: ReactNode }>) {
  const popup = useRef<HTMLDivElement>(null)
  const shownTitle = useRef(title)
  // A step removes the focused element. Base UI would restore the focus a frame later, and take it from where the person has moved meanwhile.
  useLayoutEffect(() => {
    if (shownTitle.current !== title) popup.current?.focus()
    shownTitle.current = title
  }, [title])
  return (
    <BaseDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="backdrop" />
        <BaseDialog.Popup className="dialog" ref={popup}>
          <BaseDialog.Title>{title}</BaseDialog.Title>
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}
