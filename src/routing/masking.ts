/*
 * Personal data as shown to callers who may not see it (decisions 67 and 218).
 */

import type { TSchema } from 'typebox'
import type { Handles } from '../engine/ingest/handles.ts'
import type { InParts } from '../engine/points/in-parts.ts'
import { personalKindOf } from '../engine/points/json-schema.ts'
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
  Readonly<{ revisions?: readonly Explained[]; attributes?: Attributes; lines?: readonly Attributed[] }>
type Attributes = Readonly<Record<string, unknown>>
type Attributed = Readonly<{ attributes?: Attributes }>

/** An order without what identifies its player. Its own id and its products identify nobody, and stay. */
export function maskedOrder<Shown extends OrderIds>(order: Shown, view: View): Shown {
  const { user_id, referrer_id, referral_code, revisions, attributes, lines } = order
  return {
    ...order,
    user_id: view.id(user_id),
    referrer_id: referrer_id === null ? null : view.id(referrer_id),
    referral_code: view.code(referral_code),
    ...(revisions === undefined ? {} : { revisions: revisions.map((one) => maskedExplanation(one, view)) }),
    ...(attributes === undefined ? {} : { attributes: maskedAttributes(attributes) }),
    ...(lines === undefined ? {} : { lines: lines.map(maskedLine) }),
  }
}

function maskedLine<Shown extends Attributed>(line: Shown): Shown {
  return line.attributes === undefined ? line : { ...line, attributes: maskedAttributes(line.attributes) }
}

/** Attributes without their values, any of which may say something about a person; their names are those of fields. */
export function maskedAttributes(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.keys(attributes).map((name) => [name, HIDDEN]))
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

/**
 * The result of a job without personal data: IDs of players as the view shows them, and hidden what the schema does not declare in its place. An element
 * of a list at a time: 30,000 ids take some 400 ms.
 */
export function maskedResult(result: object, schema: TSchema, view: View): InParts<object> {
  return masker([schema], view)(result) as InParts<object>
}

type Mask = (value: unknown) => InParts<unknown>

/** The parts of JSON Schema that say what may stand where. */
type Declared = Readonly<{
  type?: string
  anyOf?: readonly Declared[]
  items?: Declared
  properties?: Readonly<Record<string, Declared>>
  additionalProperties?: Declared
}>

/** Masks a value that one of the schemas describes. */
function masker(schemas: readonly Declared[], view: View): Mask {
  const declared = schemas.flatMap(alternativesOf)
  const maskOf = (candidates: readonly Declared[]) => (candidates.length === 0 ? hideAll : masker(candidates, view))
  const named = (name: string) =>
    declared.flatMap(({ properties = {} }) => (Object.hasOwn(properties, name) ? [properties[name]!] : []))
  const names = declared.flatMap(({ properties = {} }) => Object.keys(properties))
  const fields = new Map(names.map((name) => [name, maskOf(named(name))]))
  const other = maskOf(declared.flatMap(({ additionalProperties: one }) => one ?? []))
  const item = maskOf(declared.flatMap(({ items }) => items ?? []))
  const leaves = declared.filter(({ type }) => type !== 'object' && type !== 'array')
  const kinds = new Set(leaves.map(personalKindOf))
  const isShown = leaves.length > 0 && !kinds.has('id') && !kinds.has('text')
  const maskLeaf = (value: unknown): unknown => {
    if (isShown) return value
    return kinds.has('id') && typeof value === 'string' ? view.id(value) : hide(value)
  }
  return (value) => maskedParts(value, (name) => fields.get(name) ?? other, item, maskLeaf)
}

function* maskedParts(
  value: unknown,
  fieldOf: (name: string) => Mask,
  item: Mask,
  leaf: (one: unknown) => unknown,
): InParts<unknown> {
  if (typeof value !== 'object' || value === null) return leaf(value)
  if (Array.isArray(value)) {
    const list: unknown[] = []
    for (const one of value) {
      yield
      list.push(yield* item(one))
    }
    return list
  }
  const fields: [string, unknown][] = []
  for (const [name, inner] of Object.entries(value)) fields.push([name, yield* fieldOf(name)(inner)])
  return Object.fromEntries(fields)
}

function hideAll(value: unknown): InParts<unknown> {
  return maskedParts(value, () => hideAll, hideAll, hide)
}

function hide(value: unknown): unknown {
  return value === null || value === '' ? value : HIDDEN
}

function alternativesOf(schema: Declared): readonly Declared[] {
  return schema.anyOf?.flatMap(alternativesOf) ?? [schema]
}

/** The first letter, so that a person who knows the text recognises it. */
function maskedStart(text: string): string {
  const [first = ''] = text
  return text === '' ? '' : `${first}${HIDDEN}`
}
