/*
 * The examples of the API description as a story on a new service: each operation once, each on those before it.
 */
import { OPERATIONS, type Operation } from './api-description.ts'

const ORDER = [
  'checkHealth',
  'checkReadiness',
  'readMetrics',
  'readApiDescription',
  'readProgramSchema',
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
  'showPlayer',
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
  'showLevelStatistics',
  'startJob',
  'listJobs',
  'showJob',
  'cancelJob',
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
  /** The list whose ids `params.id` is one of: a test puts the id of one there. */
  idFrom: 'tokens' | 'jobs' | undefined
  body: unknown
  answer: unknown
}>

/** Errors: where an operation has no place in the story yet, or is not there any more. */
export function apiStory(): Step[] {
  const known = OPERATIONS.map(({ operationId }) => operationId)
  const apart = [...known.filter((id) => !ORDER.includes(id)), ...ORDER.filter((id) => !known.includes(id))]
  if (apart.length > 0) throw new Error(`give these a place in the story, or take them out: ${apart.join(', ')}`)
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
      answer: exampleOf(responses[200]!.content),
    }
  })
}

/** The example of an answer or a request, of whichever media type. */
export function exampleOf(content: Operation['responses'][string]['content']): unknown {
  return Object.values(content ?? {})[0]?.example
}
