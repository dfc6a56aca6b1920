/*
 * The front door. What Node makes of the sources is kept beside the packages, so that the next start need not make it again: a third of
 * what a command takes. Where nothing can be written there, nothing is kept.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/laurel', import.meta.url)))
await import('./laurel.ts')
