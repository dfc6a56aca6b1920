/*
 * The responses of the routes of state versions.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'

const { text } = RESPONSE_PARTS

export const STATE_VERSION_RESPONSES = {
  'POST /api/admin/state-versions/:noun/:id/forget': Type.Object({ forgotten: text('record ID') }),
} as const
