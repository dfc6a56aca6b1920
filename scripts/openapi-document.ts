import { readConfig } from '../src/config.ts'
import type { Deps } from '../src/deps.ts'
import { openApiOf } from '../src/server/openapi/openapi.ts'
import { allRoutes } from '../src/server/routes.ts'

/** Every route that needs a token, with the limits of the default settings. Only their descriptions can be used: there is no database. */
export function describedRoutes() {
  const nothing = async () => undefined
  const refresh = { tokens: nothing, programs: nothing, shop: nothing, sessions: nothing }
  return allRoutes({ now: () => new Date(0), sideQueue: {} } as Deps, readConfig({}), refresh, () => undefined)
}

/** The API description of a service with the default settings, without a service: what `schemas/openapi.json` holds. */
export function openApiDocument() {
  return openApiOf(describedRoutes())
}
