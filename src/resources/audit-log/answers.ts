/*
 * The answers of the routes of acts.
 */

import { ACT_KINDS } from '../../audit-log/acts.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'
import { SHARED_ANSWERS } from '../../routing/shared-answers.ts'

const { listOf, text, moment } = ANSWER_PARTS
const { tokenName, after } = SHARED_ANSWERS

export const ACT_ANSWERS = {
  'GET /api/admin/acts': Type.Object(
    {
      acts: listOf(
        Type.Object(
          {
            at: moment('when it was done'),
            by: text('ID of the token used'),
            name: tokenName,
            act: Type.Enum([...ACT_KINDS], { type: 'string', description: 'action' }),
            subject: text('target: an ID, for players the handle'),
            detail: Type.Unsafe<Readonly<Record<string, unknown>>>({
              type: 'object',
              description: 'details, without personal data; in CSV as JSON',
            }),
          },
          { title: 'Act', description: 'An audit log entry' },
        ),
        'newest first',
      ),
      after,
    },
    { title: 'ActPage', description: 'A page of audit log entries' },
  ),
} as const
