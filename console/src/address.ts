/*
 * The address of a page as the browser has it. The router decodes paths and searches, but not wholly, so that a `%` in an id could no longer be
 * told from an escape, and a link made from what it decoded led elsewhere.
 */
import { useParams } from 'wouter'
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location'

/** For the router: the path, of which its decoding leaves what the browser has. */
export const useRawPath = (): [string, typeof navigate] => [undecoded(usePathname()), navigate]

/** For the router: the search, likewise. */
export const useRawSearch = (): string => undecoded(useSearch())

/** The id in the path of a page, as in `/players/:id`. */
export function useIdInPath(): string {
  const { id = '' } = useParams()
  try {
    return decodeURIComponent(id)
  } catch {
    return id // An address typed by hand, with a `%` that is no escape.
  }
}

function undecoded(text: string): string {
  return text.replaceAll('%', '%25')
}
