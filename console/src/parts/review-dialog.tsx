import { type FormEvent, type ReactNode, useState } from 'react'
import { useRequest } from '../request.ts'
import { Dialog, DialogFooter } from './dialog.tsx'
import { Failure } from './states.tsx'

/** What a change leads to, and how it is made. */
type Review = Readonly<{ title: string; text: ReactNode; label: string; make: () => Promise<void> }>

/** A change in two steps: first a form, then a review of what it leads to. Going back keeps what was typed. */
export function ReviewDialog<Wanted>({
  title,
  fields,
  read,
  review,
  onClose,
}: Readonly<{
  title: string
  fields: (wanted: Wanted | undefined) => ReactNode
  read: (form: FormData) => Wanted
  review: (wanted: Wanted) => Review
  onClose: () => void
}>) {
  const [wanted, setWanted] = useState<Wanted>()
  const [isReviewing, setReviewing] = useState(false)
  const { run, failure, busy, clear } = useRequest()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWanted(read(new FormData(event.currentTarget)))
    clear()
    setReviewing(true)
  }
  if (isReviewing && wanted !== undefined) {
    const reviewed = review(wanted)
    const make = () =>
      run(async () => {
        await reviewed.make()
        onClose()
      })
    return (
      <Dialog title={reviewed.title} onClose={onClose}>
        {reviewed.text}
        <Failure error={failure} />
        <DialogFooter
          label={reviewed.label}
          onDo={make}
          onCancel={() => setReviewing(false)}
          cancelLabel="Back"
          disabled={busy}
        />
      </Dialog>
    )
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        {fields(wanted)}
        <DialogFooter label="Review" onCancel={onClose} />
      </form>
    </Dialog>
  )
}
