/*
 * The examples of the API description as a sequence on a new service: each operation once, building on those before it.
 */
import type { Service } from '../../src/cli/serve/service.ts'
import type { RedeemRules } from '../../src/engine/points/program-model.ts'
import { OPERATIONS, type Operation } from './api-description.ts'

const ORDER = [
  'checkHealth',
  'checkReadiness',
  'readMetrics',
  'readApiDescription',
  'readProgramSchema',
  'readCasesSchema',
  'listSessions',
  'endSession',
  'listAuditLog',
  'listActs',
  'createSignInCode',
  'upsertPlayers',
  'upsertProducts',
  'predictOrder',
  'predictOrderByGet',
  'recordOrders',
  'listPlayers',
  'searchPlayers',
  'listProducts',
  'showProduct',
  'listOrders',
  'showOrder',
  'showAccount',
  'adjustPlayer',
  'adjustPlayers',
  'redeemPoints',
  'showRedemption',
  'confirmRedemption',
  'voidRedemption',
  'listRedemptions',
  'showPlayer',
  'exportPlayer',
  'listPlayerPredictions',
  'simulateOrder',
  'forgetStateVersion',
  'createToken',
  'listTokens',
  'rotateToken',
  'revokeToken',
  'changeSettings',
  'showSettings',
  'showStatisticsSummary',
  'showPointStatistics',
  'showRuleStatistics',
  'showOrderStatistics',
  'showAttributeStatistics',
  'showPredictionStatistics',
  'showAccountStatistics',
  'showLevelStatistics',
  'listDeviations',
  'listSources',
  'listSourceRefusals',
  'listFeeds',
  'listFeedRefusals',
  'listUnknownProducts',
  'showService',
  'checkProgram',
  'diffPrograms',
  'listDrafts',
  'showDraft',
  'changeDraft',
  'deleteDraft',
  'createDraft',
  'startJob',
  'listJobs',
  'showJob',
  'cancelJob',
  'undoAdjustment',
  'erasePlayer',
  'publishProgram',
  'listPrograms',
  'showProgram',
  'withdrawProgram',
]

export type Step = Readonly<{
  operationId: string
  tag: string
  method: string
  path: string
  /** Values of the parameters in the path. */
  params: Readonly<Record<string, string>>
  /** The list from which a test takes the id for `params.id`. */
  idFrom: 'tokens' | 'jobs' | undefined
  body: unknown
  response: unknown
}>

const REDEEM: RedeemRules = {
  value: { points: 100n, pays: 10_000n },
  step: 1n,
  least: 0n,
  partPaidEarns: false,
  inDiscount: false,
  overdraft: 0n,
  holdMs: 900_000,
  rewards: [],
}

const REDEEM_TEXT = 'money: { decimals: 2 }\\nredeem: { value: { points: 100, pays: "1.00" } }'

/** Prepares a service for the scenario: a person who has signed in to the console and is writing a program, and a program under which points pay. */
export async function prepareScenario({ db, deps }: Pick<Service, 'db' | 'deps'>): Promise<void> {
  const at = deps.now().toISOString()
  const programs = deps.programs()
  const [starter] = programs
  // Only in the list of this service: parsed programs are shared by all services of a process.
  Object.assign(programs, [{ ...starter!, program: { ...starter!.program, redeem: REDEEM } }])
  await db.transaction(async (tx) => {
    // For simulations, which read the texts.
    await tx.query(`update programs set source = source || e'\n${REDEEM_TEXT}\n'`)
    await tx.query(
      `insert into tokens (token_id, name, digest, scopes, created_at)
      values ('6f1f0c3a9b2e', 'asha', '', '["admin"]', '2026-01-01')`,
    )
    await tx.query(
      `insert into sessions (session_id, digest, token_id, browser, created_at, last_used_at, expires_at)
      values ('0a1b2c3d4e5f', '', '6f1f0c3a9b2e', 'Firefox', $1, $1, $1::timestamptz + interval '12 hours')`,
      [at],
    )
    await tx.query(
      `insert into drafts (draft_id, name, source, cases, based_on, revision, created_at, created_by, changed_at, changed_by)
      values ('1f2e3d4c5b6a', 'Summer', e'name: Summer\n', '', 1, 1, $1, '6f1f0c3a9b2e', $1, '6f1f0c3a9b2e')`,
      [at],
    )
  }, performance.now() + 60_000)
}

/** Errors: if an operation has no place in the scenario yet, or no longer exists. */
export function apiScenario(): Step[] {
  const known = OPERATIONS.map(({ operationId }) => operationId)
  const apart = [...known.filter((id) => !ORDER.includes(id)), ...ORDER.filter((id) => !known.includes(id))]
  if (apart.length > 0) throw new Error(`give these a place in the scenario, or take them out: ${apart.join(', ')}`)
  return ORDER.map((operationId) => {
    const operation = OPERATIONS.find((one) => one.operationId === operationId)!
    const { tags, method, path, parameters = [], requestBody, responses } = operation
    const inPath = parameters.filter((parameter) => parameter.in === 'path')
    return {
      operationId,
      tag: tags[0]!,
      method,
      path,
      params: Object.fromEntries(inPath.map(({ name, schema }) => [name, schema.examples![0]!])),
      idFrom: (['tokens', 'jobs'] as const).find((noun) => path.includes(`/${noun}/`)),
      body: exampleOf(requestBody?.content),
      response: exampleOf(responses[200]!.content),
    }
  })
}

/** The example of a response or a request, of whichever media type. */
export function exampleOf(content: Operation['responses'][string]['content']): unknown {
  return Object.values(content ?? {})[0]?.example
}
