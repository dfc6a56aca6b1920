/*
 * The responses of the routes of settings.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'

const { listOf, orNull, text, momentOrNull } = RESPONSE_PARTS

const shopSettingValue = (description: string) =>
  orNull(Type.Union([Type.String(), Type.Immutable(Type.Array(Type.String()))]), description)

const shopSettings = Type.Object(
  {
    settings: listOf(
      Type.Object(
        {
          key: text('setting key'),
          value: shopSettingValue('value in effect; null: none'),
          default: shopSettingValue('default value; null: none'),
          about: text('description'),
          changed_at: momentOrNull('when the value was set; null: not set'),
          changed_by: orNull(Type.String(), 'ID of the token that set it; null: not set'),
        },
        { title: 'ShopSetting', description: 'A shop setting' },
      ),
      'all settings',
    ),
  },
  { title: 'ShopSettings', description: 'The shop settings' },
)

export const SETTING_RESPONSES = {
  'GET /api/admin/settings': shopSettings,
  'PUT /api/admin/settings': shopSettings,
} as const
