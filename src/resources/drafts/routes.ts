import type { Deps } from '../../deps.ts'
import { schemaOf } from '../../engine/ingest/record.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { stopOnDisconnect } from '../../routing/client-disconnect.ts'
import type { Description, Route } from '../../routing/route.ts'
import { DRAFT_RESPONSES } from './responses.ts'
import {
  CHANGED_DRAFT_WORDS,
  changeDraft,
  changedDraftFields,
  createDraft,
  dropDraft,
  listDrafts,
  NEW_DRAFT_WORDS,
  newDraftFields,
  showDraft,
} from './service.ts'

const listedExample = {
  id: '1f2e3d4c5b6a',
  name: 'Summer',
  based_on: 1,
  revision: 1,
  created_at: '2026-06-01T12:00:00.000Z',
  created_by: '6f1f0c3a9b2e',
  changed_at: '2026-06-01T12:00:00.000Z',
  changed_by: '6f1f0c3a9b2e',
}
const texts = { source: 'name: Summer\n', cases: '' }
const example = { ...listedExample, ...texts }
const parameters = {
  id: Type.String({ pattern: '^[0-9a-f]{12}$', description: 'draft ID', examples: ['1f2e3d4c5b6a'] }),
}

const DESCRIBED = {
  list: {
    operationId: 'listDrafts',
    tag: 'programs',
    summary: 'List drafts, last changed first',
    description: 'Without their texts.',
    example: { response: { drafts: [listedExample] } },
  },
  create: {
    operationId: 'createDraft',
    tag: 'programs',
    summary: 'Create a draft',
    description: 'It may have errors: no order is computed under a draft. At most 100 drafts.',
    data: schemaOf(newDraftFields, NEW_DRAFT_WORDS),
    example: { data: { name: 'Summer', ...texts, based_on: 1 }, response: example },
  },
  show: {
    operationId: 'showDraft',
    tag: 'programs',
    summary: 'Get a draft with its texts',
    description: 'Changes must send its `revision`.',
    parameters,
    example: { response: example },
  },
  change: {
    operationId: 'changeDraft',
    tag: 'programs',
    summary: 'Change a draft',
    description: 'If `revision` is outdated: 409 with the current draft in `theirs`.',
    data: schemaOf(changedDraftFields, CHANGED_DRAFT_WORDS),
    conflict: DRAFT_RESPONSES['PUT /api/admin/drafts/:id'],
    parameters,
    example: { data: { name: 'Summer', ...texts, revision: 1 }, response: { ...example, revision: 2 } },
  },
  drop: {
    operationId: 'deleteDraft',
    tag: 'programs',
    summary: 'Delete a draft',
    description: 'Published versions stay.',
    parameters,
    example: { response: { deleted: '1f2e3d4c5b6a' } },
  },
} as const satisfies Record<string, Description>

/** Programs that people are writing and have not published (docs/api.md). */
export function adminDraftRoutes(deps: Deps): Route[] {
  return [
    adminRoute(
      DRAFT_RESPONSES,
      'GET /api/admin/drafts',
      ['program'],
      { described: DESCRIBED.list },
      async ({ deadlineAt }) => ({
        drafts: await listDrafts(deps, deadlineAt),
      }),
    ),
    adminRoute(
      DRAFT_RESPONSES,
      'POST /api/admin/drafts',
      ['program'],
      { described: DESCRIBED.create },
      ({ data, caller, deadlineAt, ...request }) =>
        createDraft(stopOnDisconnect(deps, request), data, caller.tokenId, deadlineAt),
    ),
    adminRoute(
      DRAFT_RESPONSES,
      'GET /api/admin/drafts/:id',
      ['program'],
      { described: DESCRIBED.show },
      ({ params, deadlineAt }) => showDraft(deps, params.id!, deadlineAt),
    ),
    adminRoute(
      DRAFT_RESPONSES,
      'PUT /api/admin/drafts/:id',
      ['program'],
      { described: DESCRIBED.change },
      ({ params, data, caller, deadlineAt, ...request }) =>
        changeDraft(stopOnDisconnect(deps, request), params.id!, data, caller.tokenId, deadlineAt),
    ),
    adminRoute(
      DRAFT_RESPONSES,
      'DELETE /api/admin/drafts/:id',
      ['program'],
      { described: DESCRIBED.drop },
      async ({ params, caller, deadlineAt, ...request }) => {
        await dropDraft(stopOnDisconnect(deps, request), params.id!, caller.tokenId, deadlineAt)
        return { deleted: params.id! }
      },
    ),
  ]
}
