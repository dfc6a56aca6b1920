/*
 * The answers of the routes of settings.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'

const { listOf, orNull, text, momentOrNull } = ANSWER_PARTS

const shopSettingValue = (description: string) =>
  orNull(Type.Union([Type.String(), Type.Immutable(Type.Array(Type.String()))]), description)

const shopSettings = Type.Object(
  {
    settings: listOf(
      Type.Object(
        {
          key: text('the key of the setting'),
          value: shopSettingValue('the value in effect; null: nothing is set'),
          default: shopSettingValue('the value where nothing is set'),
          about: text('what it means'),
          changed_at: momentOrNull('when the value was set; null: it was not'),
          changed_by: orNull(Type.String(), 'the id of the token that set it; null: none did'),
        },
        { title: 'ShopSetting', description: 'A setting of the shop' },
      ),
      'every setting',
    ),
  },
  { title: 'ShopSettings', description: 'The settings of the shop' },
)

export const SETTING_ANSWERS = {
  'GET /api/admin/settings': shopSettings,
  'PUT /api/admin/settings': shopSettings,
} as const
