/*
 * What a part of a page shows instead of its content while it is loading, if there is none, or if it failed to load.
 */

import type { ReactNode } from 'react'
import { Refused, Unreachable } from '../api.ts'
import { timeText } from '../moments.ts'
import { useZone } from '../zone.ts'
import { Icon } from './icon.tsx'

export function Skeleton({ width, height }: Readonly<{ width?: string; height?: string }>) {
  return <span className="skeleton" aria-hidden="true" style={{ width, height }} />
}

/** Why there is nothing here, and how to change that. */
export function Empty({ title, children }: Readonly<{ title: string; children?: ReactNode }>) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  )
}

/** A failed request: the service's own sentence, the request id, and for what the page reads, a retry. What was shown before stays. */
export function Failure({
  error,
  retry,
  since,
}: Readonly<{ error: Error | null | undefined; retry?: (() => unknown) | undefined; since?: number | undefined }>) {
  const zone = useZone()
  if (error === null || error === undefined) return null
  if (error instanceof Refused && error.isSignedOut) return null
  return (
    <div className="notice bad" role="alert">
      <span className="bad">
        <Icon name="alert" />
      </span>
      <span>
        {sentenceOf(error)}
        {error instanceof Unreachable && retry !== undefined && ' This page keeps trying.'}
      </span>
      {error instanceof Refused && error.requestId !== '' && (
        <span className="small">
          request <code>{error.requestId}</code>
        </span>
      )}
      {since !== undefined && since > 0 && <span className="small">showing data from {timeText(since, zone)}</span>}
      {retry !== undefined && !(error instanceof Refused && error.missingScope !== undefined) && (
        <button type="button" className="link" onClick={() => retry()}>
          Try again
        </button>
      )}
    </div>
  )
}

export function sentenceOf(error: Error): string {
  if (error instanceof Unreachable) return 'No response from the service.'
  if (error instanceof Refused && error.missingScope !== undefined)
    return `Your token may not do this: it lacks the scope ${error.missingScope}.`
  return asSentence(error.message)
}

/** A text of the service or its code that begins with a small letter and ends without a full stop. */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}
