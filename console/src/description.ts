/*
 * What the service says of itself at /openapi.json: its version, and every operation.
 */
import { useQuery } from '@tanstack/react-query'
import { Refused, send } from './api.ts'

export type Schema = Readonly<{
  $ref?: string
  title?: string
  description?: string
  type?: string | readonly string[]
  format?: string
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  examples?: readonly unknown[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  additionalProperties?: boolean | Schema
  minimum?: number
  maximum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
}>
export type Content = Readonly<Record<string, Readonly<{ schema?: Schema; example?: unknown }>>>
export type Reply = Readonly<{ $ref?: string; description?: string; content?: Content }>
export type Operation = Readonly<{
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  parameters?: readonly Readonly<{
    name: string
    in: string
    required?: boolean
    description?: string
    schema?: Schema
  }>[]
  requestBody?: Readonly<{ content: Content }>
  responses: Readonly<Record<string, Reply>>
  security?: readonly object[]
  'x-scopes'?: readonly string[]
}>
export type ApiDescription = Readonly<{
  info: Readonly<{ version: string; description: string }>
  tags: readonly Readonly<{ name: string; description: string }>[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: Readonly<{
    schemas: Readonly<Record<string, Schema>>
    responses: Readonly<Record<string, Reply>>
  }>
}>

/** It changes with the service alone. */
const FRESH_MS = 5 * 60_000

export function useApiDescription() {
  const { data, error, refetch } = useQuery({
    queryKey: ['/openapi.json'],
    staleTime: FRESH_MS,
    queryFn: async ({ signal }) => {
      const { status, body, headers } = await send('GET', '/openapi.json', undefined, signal)
      if (status !== 200) throw new Refused(status, body as object, headers)
      return body as ApiDescription
    },
  })
  return { description: data, error, retry: refetch }
}
