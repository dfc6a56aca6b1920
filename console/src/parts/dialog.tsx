import { lazy, type ReactNode, Suspense } from 'react'

const OpenDialog = lazy(() => import('./base-dialog.tsx').then(({ OpenDialog }) => ({ default: OpenDialog })))

/** A question above the page, which keys cannot leave. Escape and a press beside it close it. Its code is loaded when the first one opens. */
export function Dialog(props: Readonly<{ title: string; onClose: () => void; children: ReactNode }>) {
  return (
    <Suspense>
      <OpenDialog {...props} />
    </Suspense>
  )
}
