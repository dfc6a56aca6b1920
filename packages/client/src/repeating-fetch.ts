/** Operations that change something and are idempotent, by the end of their path: Laurel ignores a repetition (docs/api.md). */
const IDEMPOTENT =
  /\/api\/(?:predictions\/orders|integration\/(?:players|products|orders)|players\/[^/]+\/(?:adjustments(?:\/[^/]+\/undo)?|redemptions(?:\/[^/]+\/(?:confirm|void))?)|admin\/(?:balances|simulations|players\/search|programs\/(?:check|diff)))$/
const RETRIED_STATUSES = new Set([408, 429, 500, 502, 503, 504])
const FIRST_DELAY_MS = 200
/** If a service asks for a longer pause, its answer is returned instead. */
const DELAY_MS_MAX = 60_000

/** Whether a request may be sent again although nobody knows whether the service has carried it out. */
export function isRepeatable({ method, url }: Pick<Request, 'method' | 'url'>): boolean {
  return method === 'GET' || method === 'HEAD' || (method === 'POST' && IDEMPOTENT.test(new URL(url).pathname))
}

/**
 * `fetch`, repeated up to `retries` times after no response, or one that asks for it: with growing random pauses, and not before `Retry-After`. A request
 * that is not safe to repeat, or whose caller has aborted it, is sent once.
 */
export function repeatingFetch(send: typeof fetch, retries: number): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const repeats = isRepeatable(request) ? retries : 0
    for (let sent = 0; ; sent += 1) {
      const isLast = sent >= repeats
      const pauseMs = Math.random() * FIRST_DELAY_MS * 2 ** sent
      try {
        const response = await send(isLast ? request : request.clone())
        const askedMs = 1_000 * Number(response.headers.get('retry-after') ?? 0)
        if (isLast || !RETRIED_STATUSES.has(response.status) || !(askedMs <= DELAY_MS_MAX)) return response
        await response.body?.cancel()
        await pause(Math.max(askedMs, pauseMs), request.signal)
      } catch (error) {
        if (isLast || request.signal.aborted) throw error
        await pause(pauseMs, request.signal)
      }
    }
  }
}

/** Errors: the reason of the signal. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    function stop(): void {
      clearTimeout(timer)
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}
