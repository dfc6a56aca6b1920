/*
 * Builds `@laurel/client`: its methods and types from schemas/openapi.json, then all of it as JavaScript with types. `npm pack` in packages/client runs
 * this, so that what is packed is never older than the API.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const CLIENT = join(PROJECT, 'packages/client')

// The generator prints its code through a compiler API that TypeScript 7 no longer has.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? '@ts-morph/common/dist/typescript.js' : specifier, context),
})

rmSync(join(CLIENT, 'dist'), { recursive: true, force: true })
const { createClient } = await import('@hey-api/openapi-ts')
await createClient({
  // Without the headers of responses, of which it makes nothing but a line for each that it does not know them.
  input: JSON.parse(readFileSync(join(PROJECT, 'schemas/openapi.json'), 'utf8'), (key, value) =>
    key === 'headers' ? undefined : value,
  ) as Record<string, unknown>,
  output: { path: join(CLIENT, 'src/generated'), module: { extension: '.ts' } },
  logs: { level: 'silent' },
  // `fetch` refuses a GET with a body.
  parser: { filters: { operations: { exclude: ['GET /api/predictions/orders'] } } },
  plugins: [
    '@hey-api/typescript',
    { name: '@hey-api/sdk', operations: { strategy: 'single', containerName: 'Laurel' } },
    '@hey-api/client-fetch',
  ],
})
execFileSync(join(PROJECT, 'node_modules/.bin/tsc'), ['--project', CLIENT], { stdio: 'inherit' })
copyFileSync(join(PROJECT, 'LICENSE'), join(CLIENT, 'LICENSE'))
// The code that sends requests is a copy of theirs.
const generator = join(PROJECT, 'node_modules/@hey-api/openapi-ts/LICENSE.md')
copyFileSync(generator, join(CLIENT, 'dist/THIRD-PARTY-NOTICES.txt'))
