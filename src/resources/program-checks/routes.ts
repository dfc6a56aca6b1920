import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { stateVersion as wholeNumber } from '../../engine/ingest/fields.ts'
import { programSource } from '../../engine/ingest/program-text.ts'
import { optional, type RecordWords, readRecord, schemaOf } from '../../engine/ingest/record.ts'
import { InvalidInput } from '../../errors.ts'
import { adminRoute } from '../../routing/admin-route.ts'
import type { Description, Route, RouteRequest } from '../../routing/route.ts'
import { createSideThread } from '../../routing/side-thread.ts'
import { showProgram } from '../programs/service.ts'
import { CHECK_WORDS, type CheckedStep, checkFields, type ProgramCheck } from './check-program.ts'
import type { CheckTask } from './check-thread.ts'
import type { DiffSide } from './diff-programs.ts'
import { PROGRAM_CHECK_RESPONSES } from './responses.ts'

const ISSUES_MAX = 100

const diffFields = {
  fromVersion: optional('from_version', wholeNumber, undefined),
  fromSource: optional('from_source', programSource, undefined),
  toVersion: optional('to_version', wholeNumber, undefined),
  toSource: optional('to_source', programSource, undefined),
}

const DIFF_WORDS: RecordWords<typeof diffFields> = {
  title: 'ProgramsToCompare',
  description: 'Two programs, each a version or a text',
  fields: {
    fromVersion: 'first version; default, without from_source: the one in effect',
    fromSource: 'first text',
    toVersion: 'second version',
    toSource: 'second text',
  },
}

const DESCRIBED = {
  check: {
    operationId: 'checkProgram',
    tag: 'programs',
    summary: 'Validate a program and run its test orders',
    description:
      'Validates as publishing does: each error with its line, column, and the paragraph of the documents about it. With `cases`, includes the result of each case. Nothing is stored.',
    data: schemaOf(checkFields, CHECK_WORDS),
    example: {
      data: { source: 'name: Summer\nrounding: floor\n' },
      response: {
        name: null,
        faults: [
          {
            path: 'levels',
            line: 1,
            column: 1,
            error: 'is required',
            excerpt: 'name: Summer\n^',
            see: 'docs/program-reference.md#levels',
          },
        ],
        case_faults: [],
        cases: [],
        untried: [],
        warnings: [],
      },
    },
  },
  diff: {
    operationId: 'diffPrograms',
    tag: 'programs',
    summary: 'Compare two programs',
    description: 'As a unified diff of their texts.',
    data: schemaOf(diffFields, DIFF_WORDS),
    example: {
      data: { from_source: 'name: Summer\n', to_source: 'name: Autumn\n' },
      response: {
        from: 'text',
        to: 'text',
        equal: false,
        patch: '--- text\n+++ text\n@@ -1,1 +1,1 @@\n-name: Summer\n+name: Autumn\n',
      },
    },
  },
} as const satisfies Record<string, Description>

/** Texts of programs before they are published: their issues, and what they change. */
export function adminProgramTextRoutes(deps: Deps): Route[] {
  const thread = createSideThread(new URL('./check-thread.ts', import.meta.url), deps.sideQueue)
  const inThread = <Result>(
    { caller, deadlineAt, isAbandoned }: Pick<RouteRequest, 'caller' | 'deadlineAt' | 'isAbandoned'>,
    input: CheckTask,
  ) => thread<Result>({ tokenId: caller.tokenId, input, deadlineAt, isAbandoned })

  async function sideOf(
    version: number | undefined,
    source: string | undefined,
    path: string,
    deadlineAt: number,
  ): Promise<DiffSide> {
    if (version !== undefined && source !== undefined)
      throw new InvalidInput(path, 'a version and a text cannot be combined')
    if (source !== undefined) return { label: 'text', text: source }
    if (version !== undefined && !deps.programs().some((one) => one.version === version))
      throw new InvalidInput(path, `program version ${version} not found`)
    const published = await showProgram(deps, version === undefined ? 'current' : String(version), deadlineAt)
    return { label: `version ${published.version}`, text: published.source }
  }

  return [
    adminRoute(
      PROGRAM_CHECK_RESPONSES,
      'POST /api/admin/programs/check',
      ['program'],
      { described: DESCRIBED.check, assertHasRoom: deps.sideQueue.assertHasRoom },
      async (request) => {
        const checked = await inThread<ProgramCheck>(request, { check: request.data })
        const { name = null, issues, caseIssues, cases, untried, warnings } = checked
        return {
          name,
          faults: issues.slice(0, ISSUES_MAX),
          case_faults: caseIssues.slice(0, ISSUES_MAX),
          cases: cases.map(({ name, isAsExpected, steps }) => ({
            name,
            as_expected: isAsExpected,
            orders: steps.map(wireStep),
          })),
          untried,
          warnings,
        }
      },
    ),
    adminRoute(
      PROGRAM_CHECK_RESPONSES,
      'POST /api/admin/programs/diff',
      ['read', 'program'],
      { described: DESCRIBED.diff, assertHasRoom: deps.sideQueue.assertHasRoom },
      async (request) => {
        const { data, deadlineAt } = request
        const { fromVersion, fromSource, toVersion, toSource } = readRecord(diffFields, data, 'data')
        if (toVersion === undefined && toSource === undefined)
          throw new InvalidInput('data.to_version', 'to_version or to_source is required')
        const from = await sideOf(fromVersion, fromSource, 'data.from_version', deadlineAt)
        const to = await sideOf(toVersion, toSource, 'data.to_version', deadlineAt)
        const patch = await inThread<string | undefined>(request, { diff: [from, to] })
        if (patch === undefined)
          throw new InvalidInput('data', 'too large and too different to compare here: use laurel program diff')
        return { from: from.label, to: to.label, equal: patch === '', patch }
      },
    ),
  ]
}

type WireStep = Static<
  (typeof PROGRAM_CHECK_RESPONSES)['POST /api/admin/programs/check']
>['cases'][number]['orders'][number]

function wireStep({ kind, id, userId, mismatches, ...step }: CheckedStep): WireStep {
  const key = { ...(kind === 'order' ? { order_id: id } : { redemption_id: id }), user_id: userId, mismatches }
  if ('refused' in step) return { ...key, refused: step.refused }
  if (!('points' in step)) return { ...key, message: step.message }
  const { message, points, explanation } = step
  return { ...key, message, total_points: Number(points), explanation }
}
