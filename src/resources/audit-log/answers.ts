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
            by: text('the public id of the token that did it'),
            name: tokenName,
            act: Type.Enum([...ACT_KINDS], { type: 'string', description: 'what was done' }),
            subject: text('what it was done to: an id, of a player the handle'),
            detail: Type.Unsafe<Readonly<Record<string, unknown>>>({
              type: 'object',
              description: 'more about it, without personal data; in CSV as JSON',
            }),
          },
          { title: 'Act', description: 'Something that a person did' },
        ),
        'newest first',
      ),
      after,
    },
    { title: 'ActPage', description: 'A page of what people did' },
  ),
} as const
