/*
 * The tables of docs/api.md: scopes, parameters and fields, from the API description (schemas/openapi.json).
 */
import { asCode, markdownTable } from './table.ts'

type Schema = Readonly<{
  description?: string
  $ref?: string
  enum?: readonly string[]
  anyOf?: readonly Schema[]
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
}>
type Operation = Readonly<{
  operationId: string
  deprecated?: true
  'x-scopes'?: readonly string[]
  parameters?: readonly Readonly<{ name: string; in: string; description: string }>[]
  requestBody?: Readonly<{ content: Readonly<Record<string, Readonly<{ schema: Schema }>>> }>
}>

/** What these tables read of an OpenAPI document. */
export type ApiDescription = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: Readonly<{ schemas: Readonly<Record<string, Schema>> }>
}>

const FIELD_HEAD = ['Field', 'Description']

/** The others are in the example, or described with the entries. */
const ACCOUNT_FIELDS = [
  'points',
  'earned',
  'level',
  'next',
  'pending',
  'held',
  'expired',
  'booked',
  'lots',
  'next_expiry',
]

/** Described in one place for all lists. */
const PAGINATION: readonly string[] = ['limit', 'after']

/** The scopes of each operation, any one of which is enough, and below them the operations that are deprecated. */
export function scopesTable(api: ApiDescription): string {
  const rows = listOperations(api)
    // A GET with a body has the row of its POST.
    .filter(({ method, operation }) => method !== 'GET' || operation.requestBody === undefined)
    .flatMap(({ method, path, operation }) => {
      const scopes = operation['x-scopes'] ?? []
      return scopes.length === 0 ? [] : [[asCode(`${method} ${path}`), scopes.map(asCode).join(', ')]]
    })
  // A token is required only from elsewhere, which OpenAPI cannot say.
  const table = markdownTable(['Operation', 'Scopes'], [...rows, [asCode('GET /metrics'), asCode('metrics')]])
  const deprecated = listOperations(api).filter(({ operation }) => operation.deprecated)
  return `${table}\n\nDeprecated: ${deprecated.map(({ method, path }) => asCode(`${method} ${path}`)).join(', ')}.`
}

/** The fields of an order and of its lines. */
export function orderFieldsTable(api: ApiDescription): string {
  return markdownTable(FIELD_HEAD, [...fieldRows(api, 'Order'), ...fieldRows(api, 'Line', { prefix: 'products[].' })])
}

/** The fields of a schema, required ones first and marked; of `names`, if given, only these, in this order. */
export function fieldsTable(api: ApiDescription, schemaName: string, names?: readonly string[]): string {
  return markdownTable(FIELD_HEAD, fieldRows(api, schemaName, names && { names }))
}

/** The query parameters of some operations, each once, without those of pagination. */
export function parametersTable(api: ApiDescription, operationIds: readonly string[]): string {
  const operations = listOperations(api).map(({ operation }) => operation)
  const descriptions = new Map<string, string>()
  for (const operationId of operationIds) {
    const operation = operations.find((one) => one.operationId === operationId)
    if (operation === undefined) throw new Error(`there is no operation ${operationId}`)
    for (const { name, in: place, description } of operation.parameters ?? [])
      if (place === 'query' && !PAGINATION.includes(name)) descriptions.set(name, description)
  }
  const rows = [...descriptions].map(([name, description]) => [asCode(name), description])
  return markdownTable(['Parameter', 'Description'], rows)
}

/** The kinds of jobs, with their fields: optional ones end with a question mark. */
export function jobsTable(api: ApiDescription): string {
  const start = listOperations(api).find(({ operation }) => operation.operationId === 'startJob')?.operation
  const data = start?.requestBody?.content['application/json']?.schema.properties?.data
  if (data?.anyOf === undefined) throw new Error('the kinds of jobs are not where they were')
  const rows = data.anyOf.map(({ $ref = '' }) => {
    const { properties = {}, required = [], description = '' } = schemaOf(api, nameOf($ref))
    const { kind, ...fields } = properties
    const shown = Object.keys(fields).map((name) => asCode(required.includes(name) ? name : `${name}?`))
    return [asCode(kind?.enum?.[0] ?? ''), shown.join(', '), description]
  })
  return markdownTable(['`kind`', 'Fields', 'Description'], rows)
}

/** The blocks of docs/api.md, for the list of all blocks. */
export function apiBlocks(api: ApiDescription) {
  const blocks: readonly (readonly [name: string, text: string])[] = [
    ['scopes', scopesTable(api)],
    ['order fields', orderFieldsTable(api)],
    ['explanation fields', fieldsTable(api, 'PredictedExplanation')],
    ['player fields', fieldsTable(api, 'Player')],
    ['upsert parameters', parametersTable(api, ['upsertPlayers'])],
    ['account fields', fieldsTable(api, 'Account', ACCOUNT_FIELDS)],
    ['adjustment fields', fieldsTable(api, 'Adjustment')],
    ['redemption fields', fieldsTable(api, 'NewRedemption')],
    ['list parameters', parametersTable(api, ['listPlayers', 'listProducts', 'listOrders'])],
    ['jobs', jobsTable(api)],
  ]
  return blocks.map(([name, text]) => ({ document: 'docs/api.md', name, text: () => text }))
}

/** Every operation in the order of the document, with its parameters as in routes: `/api/players/:user_id`. */
function listOperations(api: ApiDescription) {
  return Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      operation,
    })),
  )
}

function fieldRows(
  api: ApiDescription,
  schemaName: string,
  { names, prefix = '' }: Readonly<{ names?: readonly string[]; prefix?: string }> = {},
): string[][] {
  const { properties = {}, required = [] } = schemaOf(api, schemaName)
  const isRequired = (name: string) => required.includes(name)
  const all = Object.keys(properties)
  const shown = names ?? [...all.filter(isRequired), ...all.filter((name) => !isRequired(name))]
  return shown.map((name) => {
    const field = properties[name]
    if (field === undefined) throw new Error(`the schema ${schemaName} has no field ${name}`)
    return [`${asCode(prefix + name)}${isRequired(name) ? '*' : ''}`, descriptionOf(api, field)]
  })
}

/** The description of a field, or of the schema that it refers to. */
function descriptionOf(api: ApiDescription, { description, $ref }: Schema): string {
  if (description !== undefined || $ref === undefined) return description ?? ''
  const text = schemaOf(api, nameOf($ref)).description ?? ''
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}

function schemaOf(api: ApiDescription, name: string): Schema {
  const schema = api.components.schemas[name]
  if (schema === undefined) throw new Error(`the API description has no schema ${name}`)
  return schema
}

function nameOf(ref: string): string {
  return ref.replace(/^.*\//, '')
}
