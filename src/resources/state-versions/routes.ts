import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { NotFound } from '../../errors.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { stopOnDisconnect } from '../../routing/client-disconnect.ts'
import type { Description, Route } from '../../routing/route.ts'
import { forgetVersion, isVersionedRecordType } from './forget-version.ts'
import { STATE_VERSION_RESPONSES } from './responses.ts'

const forgetDescription: Description<
  Static<(typeof STATE_VERSION_RESPONSES)['POST /api/admin/state-versions/:noun/:id/forget']>
> = {
  operationId: 'forgetStateVersion',
  tag: 'records',
  summary: 'Forget a state version that was sent too high',
  description: 'The next state of the record is accepted with any version. Idempotent.',
  parameters: {
    noun: Type.Enum(['order', 'player', 'product'], {
      type: 'string',
      description: 'record type',
      examples: ['player'],
    }),
    id: Type.String({ minLength: 1, maxLength: 200, description: 'record ID', examples: ['u-1'] }),
  },
  example: { response: { forgotten: 'u-1' } },
}

/** State versions that were sent too high (decision 71). */
export function adminStateVersionRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      STATE_VERSION_RESPONSES,
      'POST /api/admin/state-versions/:noun/:id/forget',
      ['support'],
      { described: forgetDescription },
      async ({ params, caller, deadlineAt, ...request }) => {
        const { noun: recordType = '', id = '' } = params
        if (!isVersionedRecordType(recordType)) throw new NotFound('not found')
        const subject = recordType === 'player' ? deps.handles.of(id) : id
        const forgotten = { noun: recordType, key: id, subject, by: caller.tokenId }
        await forgetVersion(stopOnDisconnect(deps, request), forgotten, deadlineAt)
        return { forgotten: id }
      },
    ),
  ]
}
