import type { Deps } from '../../deps.ts'
import { schemaOf } from '../../engine/ingest/record.ts'
import { Type } from '../../engine/points/json-schema.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import { stopOnDisconnect } from '../../routing/client-disconnect.ts'
import type { Description, Route } from '../../routing/route.ts'
import { createSideThread } from '../../routing/side-thread.ts'
import { PROGRAM_RESPONSES } from './responses.ts'
import {
  listPrograms,
  PUBLICATION_WORDS,
  publicationFields,
  publishProgram,
  type RequestedPublication,
  type ShownProgram,
  showProgram,
  withdrawProgram,
} from './service.ts'

const source = `name: Two for ten
rounding: floor
levels:
  counts: lifetime
  ladder:
    - { name: Member, from: 0 }
earn:
  - name: base
    per-amount: { points: 2, every: 10 }
`
const programExample = {
  version: 2,
  name: 'Two for ten',
  publisher: '6f1f0c3a9b2e',
  note: 'from New Year on',
  holds_from: '2030-01-01T00:00:00.000Z',
  effective_from: '2030-01-01T00:00:00.000Z',
  published_at: '2026-06-01T12:00:00.000Z',
  withdrawn_at: null,
  withdrawn_by: null,
}

const DESCRIBED = {
  list: {
    operationId: 'listPrograms',
    tag: 'programs',
    summary: 'List program versions, oldest first',
    description: 'Without their files.',
    example: { response: { programs: [{ ...programExample, holds_now: false, is_effective: false }] } },
  },
  publish: {
    operationId: 'publishProgram',
    tag: 'programs',
    summary: 'Publish a program as the next version',
    description:
      'Versions are immutable. Refused if it has errors (`error`: the first, with its line) or would start before recorded orders.',
    data: schemaOf(publicationFields, PUBLICATION_WORDS),
    example: {
      data: { source, from: '2030-01-01T00:00:00Z', note: 'from New Year on' },
      response: { version: 2, name: 'Two for ten', from: '2030-01-01T00:00:00.000Z' },
    },
  },
  withdraw: {
    operationId: 'withdrawProgram',
    tag: 'programs',
    summary: 'Withdraw a version not yet in effect',
    description: 'It stays listed, and never takes effect. Idempotent.',
    example: { response: { withdrawn: 2 } },
  },
  show: {
    operationId: 'showProgram',
    tag: 'programs',
    summary: 'Get a version with its file',
    description: 'Version `current` is the one in effect.',
    parameters: {
      version: Type.String({
        pattern: '^(?:current|[1-9]\\d*)$',
        description: 'version number, or `current`',
        examples: ['2'],
      }),
    },
    example: { response: { ...programExample, source } },
  },
} as const satisfies Record<string, Description>

/** Points programs: list, show, publish and withdraw versions. `refresh` makes a change known to this process at once. */
export function adminProgramRoutes(deps: Deps, refresh: () => Promise<void>): Route[] {
  const thread = createSideThread(new URL('./publication-thread.ts', import.meta.url), deps.sideQueue)
  return [
    adminRoute(
      PROGRAM_RESPONSES,
      'GET /api/admin/programs',
      ['read', 'program'],
      { described: DESCRIBED.list },
      async ({ deadlineAt }) => {
        const programs = await listPrograms(deps, deadlineAt)
        return {
          programs: programs.map(({ inEffectNow, ...program }) => ({
            ...withEffect(program),
            holds_now: inEffectNow,
            is_effective: inEffectNow,
          })),
        }
      },
    ),
    adminRoute(
      PROGRAM_RESPONSES,
      'POST /api/admin/programs',
      ['publish'],
      { described: DESCRIBED.publish, assertHasRoom: deps.sideQueue.assertHasRoom },
      async ({ data, caller, deadlineAt, ...request }) => {
        const { isAbandoned } = request
        const publication = await thread<RequestedPublication>({
          tokenId: caller.tokenId,
          input: data,
          deadlineAt,
          isAbandoned,
        })
        const published = await publishProgram(stopOnDisconnect(deps, request), publication, caller.tokenId, deadlineAt)
        await refresh()
        return published
      },
    ),
    adminRoute(
      PROGRAM_RESPONSES,
      'POST /api/admin/programs/:version/withdraw',
      ['publish'],
      { described: DESCRIBED.withdraw },
      async ({ params, caller, deadlineAt, ...request }) => {
        await withdrawProgram(stopOnDisconnect(deps, request), params.version!, caller.tokenId, deadlineAt)
        await refresh()
        return { withdrawn: Number(params.version) }
      },
    ),
    adminRoute(
      PROGRAM_RESPONSES,
      'GET /api/admin/programs/:version',
      ['read', 'program'],
      { described: DESCRIBED.show },
      async ({ params, deadlineAt }) => withEffect(await showProgram(deps, params.version!, deadlineAt)),
    ),
  ]
}

function withEffect<Program extends Pick<ShownProgram, 'holds_from'>>(program: Program) {
  return { ...program, effective_from: program.holds_from }
}
