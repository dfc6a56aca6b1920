/*
 * The responses of the routes of settings.
 */
import { personal, Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'

const { listOf, orNull, text, timestampOrNull, whole } = RESPONSE_PARTS

const shopSettingValue = (description: string) =>
  orNull(Type.Union([Type.String(), Type.Immutable(Type.Array(Type.String()))]), description)

const settings = listOf(
  Type.Object(
    {
      key: text('setting key'),
      value: shopSettingValue('value in effect; null: none'),
      default: shopSettingValue('default value; null: none'),
      about: text('description'),
      changed_at: timestampOrNull('when the value was set; null: not set'),
      changed_by: orNull(Type.String(), 'ID of the token that set it; null: not set'),
    },
    { title: 'ShopSetting', description: 'A shop setting' },
  ),
  'all settings',
)

const effects = listOf(
  Type.Object(
    {
      key: text('setting key'),
      count: whole('count of rows that would be deleted, or of players who would be erased'),
      players: Type.Optional(
        listOf(personal('id', Type.String()), 'only of players.erase-after: the first 100 player IDs'),
      ),
    },
    { title: 'SettingEffect', description: 'What would follow from a changed setting' },
  ),
  'with dry_run=true: each changed setting after which something is deleted or erased',
)

export const SETTING_RESPONSES = {
  'GET /api/admin/settings': Type.Object({ settings }, { title: 'ShopSettings', description: 'The shop settings' }),
  'PUT /api/admin/settings': Type.Object(
    { settings, effects: Type.Optional(effects) },
    { title: 'ChangedSettings', description: 'The shop settings; with dry_run=true as they would be' },
  ),
} as const
