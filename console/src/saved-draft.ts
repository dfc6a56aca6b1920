import { useCallback, useEffect, useRef, useState } from 'react'
import type { RouteResponse } from '../../src/server/responses.ts'
import { ask, Refused } from './api.ts'
import { isTransient } from './responses.ts'

type Draft = RouteResponse<'GET /api/admin/drafts/:id'>

/** What a person edits of a draft. */
export type Edited = Readonly<{ name: string; source: string; cases: string }>

const SAVE_MS = 800
const SAVE_AGAIN_MS = 3_000

/**
 * Saves a draft as it is typed, and when its page is left. Somebody else's change is shown before it is overwritten. A save that got no response is
 * repeated; one that was refused waits for the next change.
 */
export function useSavedDraft(opened: Draft) {
  const [draft, setDraft] = useState<Edited>(() => editedOf(opened))
  const [saved, setSaved] = useState(draft)
  /** What was sent last, unless it got no response. */
  const [sent, setSent] = useState<Edited | undefined>(draft)
  const [theirs, setTheirs] = useState<Draft>()
  const [failure, setFailure] = useState<Error>()
  // One save at a time: on a revision that our own last save is about to replace, the next would be a conflict with ourselves.
  const revision = useRef(Promise.resolve(opened.revision))

  const accept = useCallback((edited: Edited) => {
    setSaved(edited)
    setTheirs(undefined)
    setFailure(undefined)
  }, [])
  const save = useCallback(
    (edited: Edited) => {
      setSent(edited)
      revision.current = revision.current.then(async (from) => {
        try {
          const response = await ask('PUT /api/admin/drafts/:id', {
            params: { id: opened.id },
            data: { ...edited, revision: from },
          })
          accept(edited)
          return response.revision
        } catch (error) {
          const other = theirsIn(error as Error)
          if (other === undefined) {
            setFailure(error as Error)
            if (isTransient(error as Error)) setSent(undefined)
            return from
          }
          // An earlier save of ours whose response was lost.
          if (isSame(other, edited)) {
            accept(edited)
            return other.revision
          }
          setTheirs(other)
          return from
        }
      })
    },
    [opened.id, accept],
  )

  const isToSave = draft !== sent && theirs === undefined
  useEffect(() => {
    if (!isToSave) return
    const timer = setTimeout(() => save(draft), failure === undefined ? SAVE_MS : SAVE_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [isToSave, draft, failure, save])

  const leave = useRef(() => {})
  useEffect(() => {
    leave.current = () => {
      if (isToSave) save(draft)
    }
  }, [isToSave, draft, save])
  useEffect(() => () => leave.current(), [])

  const isSaved = draft === saved
  useEffect(() => {
    if (isSaved) return
    // The browser asks whether to leave.
    const keep = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', keep)
    return () => removeEventListener('beforeunload', keep)
  }, [isSaved])

  return {
    draft,
    change: (change: Partial<Edited>) => setDraft((before) => ({ ...before, ...change })),
    isSaved,
    /** In words. */
    state: isSaved
      ? 'saved'
      : theirs !== undefined || failure !== undefined
        ? 'not saved'
        : draft === sent
          ? 'saving'
          : 'not saved yet',
    theirs,
    failure,
    takeTheirs: () => {
      const latest = editedOf(theirs!)
      revision.current = Promise.resolve(theirs!.revision)
      setDraft(latest)
      setSent(latest)
      accept(latest)
    },
    keepMine: () => {
      revision.current = Promise.resolve(theirs!.revision)
      save(draft)
    },
  }
}

function editedOf({ name, source, cases }: Draft): Edited {
  return { name, source, cases }
}

function theirsIn(error: Error): Draft | undefined {
  return error instanceof Refused && error.status === 409 ? (error.body.theirs as Draft | undefined) : undefined
}

function isSame(one: Edited, other: Edited): boolean {
  return one.name === other.name && one.source === other.source && one.cases === other.cases
}
