/*
 * The fields that an operation takes and returns, as tables; nested fields follow their parent.
 */
import { type ApiDescription, type ApiOperation, type ApiSchema, resolved } from '../open-api.ts'
import { Section } from './page.tsx'
import { type Column, Table } from './table.tsx'

const DEPTH_MAX = 4
/** The largest exact integer of JavaScript: as a limit it says nothing. */
const COUNT_MAX = 9_007_199_254_740_991

type Field = Readonly<{
  path: string
  name: string
  depth: number
  type: string
  limits: string
  required: boolean
  description: string
}>

const COLUMNS: Column<Field>[] = [
  {
    name: 'Field',
    text: ({ path }) => path,
    show: ({ name, depth, required }) => (
      <span className="named" style={{ paddingInlineStart: `${depth}rem` }}>
        <code>{name}</code>
        {required && <span className="small">required</span>}
      </span>
    ),
  },
  {
    name: 'Type',
    kind: 'wrap',
    text: ({ type, limits }) => `${type} ${limits}`.trim(),
    show: ({ type, limits }) => (
      <span className="named">
        <span>{type}</span>
        {limits !== '' && <span className="small">{limits}</span>}
      </span>
    ),
  },
  { name: 'Description', text: ({ description }) => description, kind: 'wrap' },
]

export function Parameters({ api, operation }: Readonly<{ api: ApiDescription; operation: ApiOperation }>) {
  const parameters = (operation.parameters ?? []).map((parameter): Field => {
    const { name = '', required = false, description, schema = {}, in: place } = resolved(api, parameter)
    const { type, limits } = typeOf(api, schema)
    return {
      ...{ path: name, name, depth: 0, type: place === 'path' ? `${type}, in the path` : type, limits, required },
      description: description ?? schema.description ?? '',
    }
  })
  if (parameters.length === 0) return null
  return (
    <Section title="Parameters">
      <Table name="Parameters" columns={COLUMNS} rows={parameters} keyOf={({ path }) => path} />
    </Section>
  )
}

export function Fields({ name, api, schema }: Readonly<{ name: string; api: ApiDescription; schema: ApiSchema }>) {
  const fields = fieldsOf(api, schema, '', 0)
  return fields.length === 0 ? (
    <p className="quiet">{resolved(api, schema).description ?? typeOf(api, schema).type}</p>
  ) : (
    <Table name={name} columns={COLUMNS} rows={fields} keyOf={({ path }, index) => `${path} ${index}`} />
  )
}

function fieldsOf(api: ApiDescription, part: ApiSchema, within: string, depth: number): Field[] {
  const schema = plain(api, part)
  if (depth > DEPTH_MAX || schema.properties === undefined) return []
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    const path = within === '' ? name : `${within}.${name}`
    const inner = plain(api, field)
    return [
      {
        ...{ path, name, depth, ...typeOf(api, field), required: schema.required?.includes(name) ?? false },
        description: field.description ?? inner.description ?? '',
      },
      ...fieldsOf(api, inner.items ?? inner, path, depth + 1),
    ]
  })
}

/** The alternatives of a schema, with references resolved and without null. */
function choicesOf(api: ApiDescription, part: ApiSchema): ApiSchema[] {
  const schema = resolved(api, part)
  const choices = schema.properties === undefined ? (schema.anyOf ?? schema.oneOf ?? schema.allOf) : undefined
  return choices === undefined
    ? [schema].filter(({ type }) => type !== 'null')
    : choices.flatMap((one) => choicesOf(api, one))
}

function plain(api: ApiDescription, part: ApiSchema): ApiSchema {
  return choicesOf(api, part)[0] ?? resolved(api, part)
}

function typeOf(api: ApiDescription, part: ApiSchema): Pick<Field, 'type' | 'limits'> {
  const choices = choicesOf(api, part)
  const types = [...new Set(choices.map((one) => nameOf(api, one)))]
  const all = resolved(api, part)
  const isNull = [...(all.anyOf ?? []), ...(all.oneOf ?? [])].some((one) => resolved(api, one).type === 'null')
  const limits = [...new Set(choices.map(limitsOf))].filter((text) => text !== '')
  return {
    type: [...types, ...(isNull ? ['null'] : [])].join(' or ') || 'null',
    limits: types.length === 1 ? (limits[0] ?? '') : '',
  }
}

function nameOf(api: ApiDescription, schema: ApiSchema): string {
  if (schema.enum !== undefined) return schema.enum.join(' | ')
  if (schema.items !== undefined) return `array of ${typeOf(api, schema.items).type}`
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type as string | undefined)
  return schema.format === 'date-time' ? 'timestamp' : (schema.format ?? type ?? 'any')
}

function limitsOf({
  minLength,
  maxLength,
  minimum,
  maximum,
  minItems,
  maxItems,
  default: fallback,
}: ApiSchema): string {
  const counted = (unit: string, from: number | undefined, to: number | undefined) => {
    const [low, high] = [from === -COUNT_MAX ? undefined : from, to === COUNT_MAX ? undefined : to]
    if (low === undefined && high === undefined) return []
    const text = high === undefined ? `from ${low}` : low === undefined ? `up to ${high}` : `${low} to ${high}`
    return [`${text}${unit}`]
  }
  return [
    ...counted(' characters', minLength, maxLength),
    ...counted('', minimum, maximum),
    ...counted(' items', minItems, maxItems),
    ...(fallback === undefined ? [] : [`default: ${String(fallback)}`]),
  ].join(', ')
}
