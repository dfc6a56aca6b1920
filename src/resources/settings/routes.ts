import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { shopChangesSchema } from '../../engine/ingest/shop-settings.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { stopOnDisconnect } from '../../routing/client-disconnect.ts'
import type { Description, Route } from '../../routing/route.ts'
import { SETTING_RESPONSES } from './responses.ts'
import { changeSettings, previewSettings, type SettingEffects, type ShownSetting, showSettings } from './service.ts'

const example = {
  settings: [
    {
      key: 'money.currency',
      value: 'EUR',
      default: null,
      about: 'currency of amounts shown where the program has no money.currency',
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
    description:
      'Only those sent; `null` restores the default. Every process follows within a second. `dry_run=true` changes nothing and tells what would be deleted.',
    data: shopChangesSchema(),
    example: { data: { 'money.currency': 'EUR' }, response: example },
  },
} as const satisfies Record<string, Description>

/** A dry run may have to look at every player. */
const CHANGE_TIMEOUT_MS = 60_000

type Shown = Static<(typeof SETTING_RESPONSES)['GET /api/admin/settings']>

/**
 * The settings of the shop (decision 70). `refresh` makes a change known to this process at once; `effects` says what other resources would do after
 * one.
 */
export function adminSettingRoutes(deps: Deps, refresh: () => Promise<void>, effects: SettingEffects): Route[] {
  const show = async (deadlineAt: number) => toResponse(await showSettings(deps, deadlineAt))
  return [
    adminRoute(
      SETTING_RESPONSES,
      'GET /api/admin/settings',
      ['read'],
      { described: DESCRIBED.show },
      ({ deadlineAt }) => show(deadlineAt),
    ),
    {
      ...adminRoute(
        SETTING_RESPONSES,
        'PUT /api/admin/settings',
        ['admin'],
        { flags: ['dry_run'], described: DESCRIBED.change },
        async ({ data, flags, caller, deadlineAt, ...request }) => {
          if (flags.dry_run) {
            const preview = await previewSettings(deps, data, effects, deadlineAt)
            return { ...toResponse(preview.settings), effects: preview.effects }
          }
          await changeSettings(stopOnDisconnect(deps, request), data, caller.tokenId, deadlineAt)
          await refresh()
          return show(deadlineAt)
        },
      ),
      timeoutMs: CHANGE_TIMEOUT_MS,
    },
  ]
}

function toResponse(settings: readonly ShownSetting[]): Shown {
  return {
    settings: settings.map(({ key, value, fallback, about, changed }) => ({
      ...{ key, value, default: fallback, about },
      ...{ changed_at: changed?.at ?? null, changed_by: changed?.by ?? null },
    })),
  }
}
