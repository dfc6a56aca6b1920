/*
 * The responses of the routes of drafts.
 */
import { Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'

const { listOf, timestamp, orNull, text, whole } = RESPONSE_PARTS

const draftId = Type.String({ pattern: '^[0-9a-f]{12}$', description: 'draft ID' })
const listed = {
  id: draftId,
  name: text('draft name'),
  based_on: orNull(whole('version number'), 'version it is based on; null: none'),
  revision: whole('1 for a new draft, increased with each change'),
  created_at: timestamp('when the draft was created'),
  created_by: text('ID of the token that created it'),
  changed_at: timestamp('when it was last changed'),
  changed_by: text('ID of the token that last changed it'),
}
const draft = Type.Object(
  { ...listed, source: text('the text of the program'), cases: text('the text of its test orders, or empty') },
  { title: 'Draft', description: 'An unpublished program' },
)

export const DRAFT_RESPONSES = {
  'GET /api/admin/drafts': Type.Object({
    drafts: listOf(
      Type.Object(listed, { title: 'ListedDraft', description: 'A draft, without its texts' }),
      'last changed first',
    ),
  }),
  'POST /api/admin/drafts': draft,
  'GET /api/admin/drafts/:id': draft,
  'PUT /api/admin/drafts/:id': draft,
  'DELETE /api/admin/drafts/:id': Type.Object({ deleted: draftId }),
} as const
