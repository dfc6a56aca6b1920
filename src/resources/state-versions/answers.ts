/*
 * The answers of the routes of state versions.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'

const { text } = ANSWER_PARTS

export const STATE_VERSION_ANSWERS = {
  'POST /api/admin/state-versions/:noun/:id/forget': Type.Object({ forgotten: text('record ID') }),
} as const
