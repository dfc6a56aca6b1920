/*
 * Reads files written by people. Where integrators get only the first issue of a record, and may send unknown fields, authors of files get every
 * issue, and an unknown name is one of them.
 */

import { InvalidInput } from '../../../errors.ts'
import { nearestName } from '../../../text.ts'
import type { Issue } from '../../points/issue.ts'
import { Type } from '../../points/json-schema.ts'
import { type Field, InvalidValue, type RecordFields, type RecordOf, readRecord } from '../record.ts'

/** Values by name. */
export type NamedValues = Readonly<Record<string, unknown>>

/** An object with names of the author's choice. */
export function namedValues(namesMax: number): Field<NamedValues> {
  return {
    schema: Type.Object({}, { maxProperties: namesMax }),
    read: (value) => {
      if (!isNamedValues(value)) throw new InvalidValue('an object', value)
      const { length } = Object.keys(value)
      if (length > namesMax) throw new InvalidValue(`at most ${namesMax} names`, length)
      return value
    },
  }
}

/** A non-empty list. `what` names its elements in issues, like `orders`. */
export function nonEmptyList(what: string, lengthMax: number): Field<readonly unknown[]> {
  return {
    schema: Type.Array(Type.Unknown(), { minItems: 1, maxItems: lengthMax }),
    read: (value) => {
      if (!Array.isArray(value) || value.length === 0) throw new InvalidValue(`a non-empty array of ${what}`, value)
      if (value.length > lengthMax) throw new InvalidValue(`at most ${lengthMax} ${what}`, value.length)
      return value
    },
  }
}

export function isNamedValues(value: unknown): value is NamedValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads the fields of a table; any other name is an issue. Every issue is added to `issues`; undefined if there is any. */
export function readEvery<Fields extends RecordFields>(
  fields: Fields,
  raw: unknown,
  path: string,
  issues: Issue[],
): RecordOf<Fields> | undefined {
  const before = issues.length
  if (collectIssue(path, issues, () => readRecord({}, raw, path)) === undefined) return undefined
  const known = Object.values(fields).map(({ wire }) => wire)
  /** Fields that an unknown one means. */
  const meant = new Set<string>()
  for (const name of Object.keys(raw as NamedValues)) {
    if (known.includes(name)) continue
    const near = nearestName(name, known)
    if (near !== undefined) meant.add(near)
    const error = `unknown field${near === undefined ? `: known are ${known.join(', ')}` : `, did you mean ${near}?`}`
    issues.push({ path: path === '' ? name : `${path}.${name}`, error, isName: true })
  }
  const record: Record<string, unknown> = {}
  for (const name in fields) {
    if (meant.has(fields[name]!.wire)) continue
    Object.assign(
      record,
      collectIssue(path, issues, () => readRecord({ [name]: fields[name]! }, raw, path)),
    )
  }
  return issues.length > before ? undefined : (record as RecordOf<Fields>)
}

/** The result of `read`; undefined if it throws an issue, which is added to `issues`, at `path` unless the issue has its own. */
export function collectIssue<T>(path: string, issues: Issue[], read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof InvalidInput) issues.push({ path: error.path.replace(/^\./, ''), error: error.message })
    else if (error instanceof InvalidValue) issues.push({ path, error: error.message })
    else throw error
    return undefined
  }
}
