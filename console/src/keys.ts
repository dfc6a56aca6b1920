import { useEffect, useRef } from 'react'

export type Keys = Readonly<Record<string, () => void>>

/** How long the first of two keys waits for the second. */
const SEQUENCE_MS = 1_000

/** Calls the action of a key, or of two keys pressed one after the other, such as `g o`; never while the user is typing. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    let first = ''
    let firstAtMs = 0
    const onKey = (event: KeyboardEvent) => {
      const withControl = event.ctrlKey || event.metaKey
      if (event.altKey || event.defaultPrevented || (isTyping(event) && !withControl)) return
      const key = `${withControl ? 'ctrl ' : ''}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`
      const two = event.timeStamp - firstAtMs < SEQUENCE_MS ? `${first} ${key}` : ''
      first = key
      firstAtMs = event.timeStamp
      const act = current.current[two] ?? current.current[key]
      if (act === undefined) return
      event.preventDefault()
      first = ''
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

/** Also in an editor, which is in a shadow root. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0]
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))
  )
}
