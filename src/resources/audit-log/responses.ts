/*
 * The responses of the routes of acts.
 */

import { ACT_KINDS } from '../../audit-log/acts.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { RESPONSE_PARTS } from '../../routing/response-parts.ts'
import { SHARED_RESPONSES } from '../../routing/shared-responses.ts'

const { listOf, text, timestamp } = RESPONSE_PARTS
const { tokenName, after } = SHARED_RESPONSES

const entriesOf = (title: string) =>
  listOf(
    Type.Object(
      {
        at: timestamp('when it was done'),
        by: text('ID of the token used, or the setting by which the service did it itself'),
        name: tokenName,
        act: Type.Enum([...ACT_KINDS], { type: 'string', description: 'action' }),
        subject: text('target: an ID, for players the handle'),
        detail: Type.Unsafe<Readonly<Record<string, unknown>>>({
          type: 'object',
          description: 'details, without personal data; in CSV as JSON',
        }),
      },
      { title, description: 'An audit log entry' },
    ),
    'newest first',
  )

export const ACT_RESPONSES = {
  'GET /api/admin/audit-log': Type.Object(
    { entries: entriesOf('AuditLogEntry'), after },
    { title: 'AuditLogPage', description: 'A page of audit log entries' },
  ),
  'GET /api/admin/acts': Type.Object(
    { acts: entriesOf('Act'), after },
    { title: 'ActPage', description: 'A page of audit log entries' },
  ),
} as const
