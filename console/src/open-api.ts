import { useQuery } from '@tanstack/react-query'

/** The part of OpenAPI 3.1 that the API pages show. */
export type ApiSchema = Readonly<{
  $ref?: string
  title?: string
  type?: string | readonly string[]
  description?: string
  format?: string
  enum?: readonly unknown[]
  default?: unknown
  examples?: readonly unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  properties?: Readonly<Record<string, ApiSchema>>
  required?: readonly string[]
  items?: ApiSchema
  anyOf?: readonly ApiSchema[]
  oneOf?: readonly ApiSchema[]
  allOf?: readonly ApiSchema[]
}>

type Content = Readonly<
  Record<
    string,
    Readonly<{ schema?: ApiSchema; example?: unknown; examples?: Readonly<Record<string, { value: unknown }>> }>
  >
>

export type ApiOperation = Readonly<{
  operationId: string
  summary: string
  description?: string
  tags?: readonly string[]
  'x-scopes'?: readonly string[]
  parameters?: readonly Readonly<{
    $ref?: string
    name?: string
    in?: string
    required?: boolean
    description?: string
    schema?: ApiSchema
  }>[]
  requestBody?: Readonly<{ content: Content }>
  responses: Readonly<Record<string, Readonly<{ $ref?: string; description?: string; content?: Content }>>>
}>

export type ApiDescription = Readonly<{
  info: Readonly<{ title: string; version: string; description?: string }>
  tags?: readonly Readonly<{ name: string; description?: string }>[]
  paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}>

/** The service's own description of its API; it changes only with the service. */
export function useOpenApi() {
  return useQuery({ queryKey: ['openapi'], queryFn: openApi, staleTime: Number.POSITIVE_INFINITY })
}

async function openApi(): Promise<ApiDescription> {
  const response = await fetch('/openapi.json')
  if (!response.ok) throw new Error(`the service responded with status ${response.status}`)
  return response.json() as Promise<ApiDescription>
}

/** Resolves a `$ref` within the document; anything else stays as it is. */
export function resolved<Part extends Readonly<{ $ref?: string }>>(api: ApiDescription, part: Part): Part {
  if (part.$ref === undefined) return part
  const path = part.$ref.replace(/^#\//, '').split('/')
  const target = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], api)
  return (target as Part | undefined) ?? part
}
