/*
 * The answers of the routes of drafts.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { ANSWER_PARTS } from '../../routing/answer-parts.ts'

const { listOf, moment, orNull, text, whole } = ANSWER_PARTS

const draftId = Type.String({ pattern: '^[0-9a-f]{12}$', description: 'the id of the draft' })
const listed = {
  id: draftId,
  name: text('what the draft is called'),
  based_on: orNull(whole('the number of the version'), 'the version that it started from; null: none'),
  revision: whole('1 for a new draft, and one more for each change'),
  created_at: moment('when the draft was begun'),
  created_by: text('the id of the token that began it'),
  changed_at: moment('when it was last changed'),
  changed_by: text('the id of the token that last changed it'),
}
const draft = Type.Object(
  { ...listed, source: text('the text of the program'), cases: text('the text of its test orders, or empty') },
  { title: 'Draft', description: 'A program that somebody is writing' },
)

export const DRAFT_ANSWERS = {
  'GET /api/admin/drafts': Type.Object({
    drafts: listOf(
      Type.Object(listed, { title: 'ListedDraft', description: 'A draft without its texts' }),
      'last changed first',
    ),
  }),
  'POST /api/admin/drafts': draft,
  'GET /api/admin/drafts/:id': draft,
  'PUT /api/admin/drafts/:id': draft,
  'DELETE /api/admin/drafts/:id': Type.Object({ deleted: draftId }),
} as const
