/*
 * Personal data as shown to callers who may not see it (decisions 67 and 218).
 */

import type { Handles } from '../engine/ingest/handles.ts'
import type { Caller } from '../scopes.ts'

const HIDDEN = '•••'

/** How a caller sees what identifies people, unless it is revealed. An empty text stays empty. */
export type View = Readonly<{
  /** A player's id. */
  id: (userId: string) => string
  /** A text by which a player can be found, such as a referral code. */
  code: (text: string) => string
  /** The name of a person. */
  name: (name: string) => string
  /** An e-mail address. */
  email: (email: string) => string
}>

const SUPPORT: View = {
  id: (userId) => userId,
  code: (text) => text,
  name: (name) => name.replaceAll(/\S+/g, maskedStart),
  email: maskedStart,
}

/** With the scope `support`: ids, and the first letters, so that a person who knows a name recognises it. Without it: handles, and nothing else. */
export function viewOf({ scopes }: Pick<Caller, 'scopes'>, handles: Handles): View {
  return scopes.has('support') ? SUPPORT : { id: handles.of, code: masked, name: masked, email: masked }
}

type Explained = Readonly<{ explanation?: Readonly<{ notes: readonly Readonly<{ kind: string; text: string }>[] }> }>
type OrderIds = Readonly<{ user_id: string; referrer_id: string | null; referral_code: string }> &
  Readonly<{ revisions?: readonly Explained[] }>

/** An order without what identifies its player. Its own id and its products identify nobody, and stay. */
export function maskedOrder<Shown extends OrderIds>(order: Shown, view: View): Shown {
  const { user_id, referrer_id, referral_code, revisions } = order
  return {
    ...order,
    user_id: view.id(user_id),
    referrer_id: referrer_id === null ? null : view.id(referrer_id),
    referral_code: view.code(referral_code),
    ...(revisions === undefined ? {} : { revisions: revisions.map((one) => maskedExplanation(one, view)) }),
  }
}

/** What explains an order, without the referral code that a note names at its end. */
export function maskedExplanation<Shown extends Explained>(shown: Shown, view: View): Shown {
  if (shown.explanation === undefined) return shown
  const notes = shown.explanation.notes.map((note) => {
    if (note.kind !== 'unknown-referral-code') return note
    const codeAt = note.text.indexOf(': ') + 2
    return { ...note, text: note.text.slice(0, codeAt) + view.code(note.text.slice(codeAt)) }
  })
  return { ...shown, explanation: { ...shown.explanation, notes } }
}

/** Free text, or a value of which even a part would reveal too much. */
export function masked(text: string): string {
  return text === '' ? '' : HIDDEN
}

/** Which fields of a result may be shown: `ids` are those of players, and all that is in neither list is hidden. */
export type ShownFields = Readonly<{ shown: readonly string[]; ids?: readonly string[] }>

/** The result of a job without personal data. */
export function maskedResult(result: object, { shown, ids = [] }: ShownFields, view: View): object {
  const [isShown, isId] = [new Set(shown), new Set(ids)]
  const hide = (value: unknown): unknown => (value === null || value === '' ? value : HIDDEN)
  const fieldOf = (name: string, value: unknown): unknown => {
    if (isId.has(name)) return maskedIn(value, (one) => (typeof one === 'string' ? view.id(one) : hide(one)))
    return maskedIn(value, isShown.has(name) ? (one) => one : hide)
  }
  const maskedIn = (value: unknown, leaf: (one: unknown) => unknown): unknown => {
    if (Array.isArray(value)) return value.map((one) => maskedIn(one, leaf))
    if (typeof value !== 'object' || value === null) return leaf(value)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fieldOf(name, inner)]))
  }
  return maskedIn(result, hide) as object
}

/** The first letter, so that a person who knows the text recognises it. */
function maskedStart(text: string): string {
  const [first = ''] = text
  return text === '' ? '' : `${first}${HIDDEN}`
}
