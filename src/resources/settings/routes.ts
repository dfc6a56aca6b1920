import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { shopChangesSchema } from '../../engine/ingest/shop-settings.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { stopOnDisconnect } from '../../routing/client-disconnect.ts'
import type { Description, Route } from '../../routing/route.ts'
import { SETTING_RESPONSES } from './responses.ts'
import { changeSettings, showSettings } from './service.ts'

const example = {
  settings: [
    {
      key: 'money.currency',
      value: 'EUR',
      default: null,
      about: 'the currency of amounts, for display',
      changed_at: '2026-06-01T12:00:00.000Z',
      changed_by: '6f1f0c3a9b2e',
    },
  ],
}

const DESCRIBED = {
  show: {
    operationId: 'showSettings',
    tag: 'settings',
    summary: 'Get all shop settings',
    description: 'With their defaults, and the time and token of the last change.',
    example: { response: example },
  },
  change: {
    operationId: 'changeSettings',
    tag: 'settings',
    summary: 'Change shop settings',
    description: 'Only those sent; `null` restores the default. Every process follows within a second.',
    data: shopChangesSchema(),
    example: { data: { 'money.currency': 'EUR' }, response: example },
  },
} as const satisfies Record<string, Description>

/** The settings of the shop (decision 70). `refresh` makes a change known to this process at once. */
export function adminSettingRoutes(deps: Deps, refresh: () => Promise<void>): Route[] {
  const show = async (deadlineAt: number): Promise<Static<(typeof SETTING_RESPONSES)['GET /api/admin/settings']>> => {
    const settings = await showSettings(deps, deadlineAt)
    return {
      settings: settings.map(({ key, value, fallback, about, changed }) => ({
        ...{ key, value, default: fallback, about },
        ...{ changed_at: changed?.at ?? null, changed_by: changed?.by ?? null },
      })),
    }
  }
  return [
    adminRoute(
      SETTING_RESPONSES,
      'GET /api/admin/settings',
      ['read'],
      { described: DESCRIBED.show },
      ({ deadlineAt }) => show(deadlineAt),
    ),
    adminRoute(
      SETTING_RESPONSES,
      'PUT /api/admin/settings',
      ['admin'],
      { described: DESCRIBED.change },
      async ({ data, caller, deadlineAt, ...request }) => {
        await changeSettings(stopOnDisconnect(deps, request), data, caller.tokenId, deadlineAt)
        await refresh()
        return show(deadlineAt)
      },
    ),
  ]
}
