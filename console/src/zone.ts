/*
 * The time zone of the program: its days and times are shown in every browser, wherever that is.
 */
import { createContext, useContext } from 'react'

/** Where it is not known yet, which is before anybody is signed in: the browser's own. */
export const ZoneContext = createContext(new Intl.DateTimeFormat().resolvedOptions().timeZone)

export function useZone(): string {
  return useContext(ZoneContext)
}

/** The zone, or UTC in a browser that does not know it. */
export function supportedZone(name: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return name
  } catch {
    return 'UTC'
  }
}
