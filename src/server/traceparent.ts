import type { IncomingHttpHeaders } from 'node:http'

/** The trace that a request belongs to, as its caller names it (W3C Trace Context); undefined if there is none, or something else in its place. */
export function traceparentIn({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' && FORM.test(traceparent) ? traceparent : undefined
}

const FORM = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
