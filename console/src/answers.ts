/*
 * Questions to the service, as pages ask them: kept for a moment, asked again by themselves, and shown dimmed while the next answer is on its way.
 */
import { keepPreviousData, QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { RouteName } from '../../src/http/routes/answers.ts'
import { type Asked, ask, Refused, Unreachable } from './api.ts'

const FRESH_MS = 5_000
const RETRY_MS = 3_000
const TRIES = 2

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      networkMode: 'always',
      retry: (count, error) => count < TRIES && isPassing(error),
      retryDelay: 500,
    },
    mutations: { networkMode: 'always' },
  },
})

export type Question = Readonly<{
  /** How often to ask again while the page is seen. */
  everyMs?: number
  /** Whether to ask at all; yes if absent. */
  when?: boolean
}>

/** The answer of a route that only reads, also while the next one is asked for (`isStale`). */
export function useAnswer<Name extends RouteName>(
  name: Name,
  asked: Asked = {},
  { everyMs, when = true }: Question = {},
) {
  const { data, error, isFetching, isPlaceholderData, dataUpdatedAt, refetch } = useQuery({
    queryKey: [name, asked],
    queryFn: ({ signal }) => ask(name, asked, signal),
    placeholderData: keepPreviousData,
    enabled: when,
    // A connection that was lost is looked for again, whether the page asks repeatedly or not.
    refetchInterval: (query) => (query.state.error instanceof Unreachable ? RETRY_MS : (everyMs ?? false)),
  })
  return {
    data,
    error,
    /** Whether what is shown belongs to another question, or could not be renewed. */
    isStale: isPlaceholderData || (error !== null && data !== undefined),
    isFetching,
    answeredAtMs: dataUpdatedAt,
    retry: refetch,
  }
}

/** Forgets the answers of routes whose names begin so: what they tell has just been changed. */
export function useForget() {
  const client = useQueryClient()
  return (...names: RouteName[]) =>
    Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] }))).then(() => undefined)
}

function isPassing(error: Error): boolean {
  return error instanceof Unreachable || (error instanceof Refused && error.status === 503)
}
