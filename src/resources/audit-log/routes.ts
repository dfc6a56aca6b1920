import type { Static } from 'typebox'
import { ACT_KINDS } from '../../audit-log/acts.ts'
import type { Deps } from '../../deps.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { formerRoute } from '../../routing/former-route.ts'
import { keyParameter } from '../../routing/openapi-parameters.ts'
import type { Description, Route } from '../../routing/route.ts'
import { ACT_RESPONSES } from './responses.ts'
import { listActs } from './service.ts'

type AuditLogPage = Static<(typeof ACT_RESPONSES)['GET /api/admin/audit-log']>

const DESCRIBED: Description<AuditLogPage> = {
  operationId: 'listAuditLog',
  tag: 'sessions',
  summary: 'List audit log entries, newest first',
  description:
    'Sign-ins, revealed personal data, adjustments, tokens, programs, settings: time, token, action and target. Without personal data. Entries are never changed or deleted.',
  parameters: {
    by: keyParameter('only entries of this token: its ID or name', '6f1f0c3a9b2e'),
    act: Type.Enum([...ACT_KINDS], { type: 'string', description: 'only entries with this action' }),
  },
  example: {
    response: {
      entries: [
        {
          at: '2026-06-01T12:00:00.000Z',
          by: '6f1f0c3a9b2e',
          name: null,
          act: 'session-ended',
          subject: '0a1b2c3d4e5f',
          detail: {},
        },
      ],
      after: null,
    },
  },
}

/** What people did (decision 133). */
export function adminActRoutes(deps: Deps): Route[] {
  const auditLog = adminRoute(
    ACT_RESPONSES,
    'GET /api/admin/audit-log',
    ['admin'],
    { texts: ['after', 'limit', 'by', 'act'], rows: 'entries', described: DESCRIBED },
    async ({ texts, deadlineAt }) => {
      const { rows, after } = await listActs(deps, texts, deadlineAt)
      const entries = rows.map(({ act_id: _, by_name, detail, ...act }) => ({
        ...act,
        name: by_name,
        detail: JSON.parse(detail) as AuditLogPage['entries'][number]['detail'],
      }))
      return { entries, after }
    },
  )
  return [
    auditLog,
    formerRoute(auditLog, ACT_RESPONSES, 'GET /api/admin/acts', {
      operationId: 'listActs',
      rows: 'acts',
      responseOf: ({ entries, after }: AuditLogPage) => ({ acts: entries, after }),
    }),
  ]
}
