/*
 * Queries to the service, as pages make them: cached for a moment, repeated by themselves, and shown dimmed while the next response is on its way.
 */
import { keepPreviousData, QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { RouteName } from '../../src/server/responses.ts'
import { type ApiRequest, ask, Refused, Unreachable } from './api.ts'

const FRESH_MS = 5_000
const RETRY_MS = 3_000
const TRIES = 2

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      networkMode: 'always',
      retry: (count, error) => count < TRIES && isTransient(error),
      retryDelay: 500,
      refetchInterval: ({ state }) => askAgainMs(state.error),
    },
    mutations: { networkMode: 'always' },
  },
})

export type Question = Readonly<{
  /** How often to ask again while the page is visible. */
  everyMs?: number
  /** Whether to ask at all; yes if absent. */
  when?: boolean
  /** Whether an earlier answer may be shown until this one is there; yes if absent. */
  remembered?: boolean
}>

/** The response of a read-only route; the previous one while the next is being fetched (`isStale`). */
export function useResponse<Name extends RouteName>(
  name: Name,
  request: ApiRequest = {},
  { everyMs, when = true, remembered = true }: Question = {},
) {
  const { data, error, isFetching, isPlaceholderData, dataUpdatedAt, refetch } = useQuery({
    queryKey: [name, request],
    queryFn: ({ signal }) => ask(name, request, signal),
    ...(remembered ? { placeholderData: keepPreviousData } : { gcTime: 0 }),
    enabled: when,
    refetchInterval: ({ state }) => askAgainMs(state.error, everyMs),
  })
  return {
    data,
    error,
    /** Whether what is shown answers the previous query, or could not be refreshed. */
    isStale: isPlaceholderData || (error !== null && data !== undefined),
    isFetching,
    answeredAtMs: dataUpdatedAt,
    retry: refetch,
  }
}

/** Invalidates the responses of routes whose data has just been changed. */
export function useInvalidate() {
  const client = useQueryClient()
  return (...names: RouteName[]) =>
    Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] }))).then(() => undefined)
}

/** A lost connection is retried, whether the page polls or not. */
function askAgainMs(error: Error | null, everyMs?: number): number | false {
  return error instanceof Unreachable ? RETRY_MS : (everyMs ?? false)
}

/** Whether the same request may succeed a moment later. */
export function isTransient(error: Error): boolean {
  return error instanceof Unreachable || (error instanceof Refused && error.status === 503)
}
