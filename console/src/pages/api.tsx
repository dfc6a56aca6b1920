import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { type ApiDescription, type ApiOperation, type ApiSchema, openApi, resolved } from '../open-api.ts'
import { CopyButton } from '../parts/copy.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../url-state.ts'

type Listed = Readonly<{ method: string; path: string; operation: ApiOperation }>
const METHODS = ['get', 'post', 'put', 'delete', 'patch']
const DEPTH_MAX = 4

function useApi() {
  return useQuery({ queryKey: ['openapi'], queryFn: openApi, staleTime: Number.POSITIVE_INFINITY })
}

export function Api() {
  const { data, error, refetch } = useApi()
  const [filter, setFilter] = useUrlState('find')
  const wanted = filter.toLowerCase()
  const all = data === undefined ? [] : listed(data)
  const found = all.filter(({ method, path, operation }) =>
    `${method} ${path} ${operation.summary}`.toLowerCase().includes(wanted),
  )
  const tags = Map.groupBy(found, ({ operation }) => operation.tags?.[0] ?? 'other')
  return (
    <Page
      title="API"
      about={
        <>
          Everything that the service does, from its own <a href="/openapi.json">description</a>.
        </>
      }
    >
      <div className="filter">
        <label className="field">
          <span>Path or words</span>
          <input type="search" value={filter} data-filter onChange={(event) => setFilter(event.target.value)} />
        </label>
      </div>
      <Failure error={error} retry={refetch} />
      {data === undefined && error === null && <Skeleton width="100%" height="20rem" />}
      {data !== undefined && found.length === 0 && <Empty title="No operation has these words" />}
      {[...tags].map(([tag, operations]) => (
        <Section key={tag} title={tag}>
          <p className="quiet">{data?.tags?.find(({ name }) => name === tag)?.description}</p>
          <ul className="operations">
            {operations.map(({ method, path, operation }) => (
              <li key={operation.operationId}>
                <Link href={`/api/${operation.operationId}`}>
                  <Method method={method} /> <code>{path}</code>
                </Link>
                <span className="quiet">{operation.summary}</span>
              </li>
            ))}
          </ul>
        </Section>
      ))}
    </Page>
  )
}

export function ApiOperationPage() {
  const { id } = useParams()
  const { data, error, refetch } = useApi()
  const found = data === undefined ? undefined : listed(data).find(({ operation }) => operation.operationId === id)
  if (data === undefined || found === undefined)
    return (
      <Page title={error === null && data === undefined ? 'API' : 'No such operation'}>
        <Failure error={error} retry={refetch} />
        {data !== undefined && (
          <Empty title="The API has no operation of this name">
            <p>
              <Link href="/api">All operations</Link>
            </p>
          </Empty>
        )}
      </Page>
    )
  const { method, path, operation } = found
  const body = contentOf(operation.requestBody?.content)
  const [status, good] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? ['', undefined]
  const answer = contentOf(good?.content)
  const curl = curlFor(method, path, body.example)
  return (
    <Page
      title={operation.summary}
      about={
        <>
          <Method method={method} /> <code>{path}</code>
        </>
      }
    >
      {operation.description !== undefined && <p className="prose">{operation.description}</p>}
      <p className="small">
        {operation['x-scopes'] === undefined
          ? 'Needs no token.'
          : `Needs a token with ${operation['x-scopes'].join(' or ')}.`}
      </p>
      <Section title="As a command" actions={<CopyButton text={curl} />}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
        <pre className="code" tabIndex={0}>
          {curl}
        </pre>
      </Section>
      <Parameters api={data} operation={operation} />
      {body.schema !== undefined && (
        <Section title="Body">
          <Fields name="Body" api={data} schema={body.schema} />
        </Section>
      )}
      {answer.schema !== undefined && (
        <Section title={`Answer, ${status}`}>
          <Fields name="Answer" api={data} schema={answer.schema} />
          {answer.example !== undefined && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
            <pre className="code" tabIndex={0}>
              {typeof answer.example === 'string' ? answer.example : JSON.stringify(answer.example, null, 2)}
            </pre>
          )}
        </Section>
      )}
      <Section title="Other answers">
        <ul className="operations">
          {Object.entries(operation.responses)
            .filter(([code]) => !code.startsWith('2'))
            .map(([code, response]) => (
              <li key={code}>
                <code>{code}</code> <span className="quiet">{resolved(data, response).description}</span>
              </li>
            ))}
        </ul>
      </Section>
    </Page>
  )
}

function Method({ method }: Readonly<{ method: string }>) {
  return <span className="badge method">{method.toUpperCase()}</span>
}

type Parameter = Readonly<{ name?: string; in?: string; required?: boolean; description?: string; schema?: ApiSchema }>

const PARAMETER_COLUMNS: Column<Parameter>[] = [
  { name: 'Name', text: ({ name = '' }) => name, show: ({ name }) => <code>{name}</code> },
  { name: 'In', text: (parameter) => parameter.in ?? '' },
  { name: 'Required', text: ({ required }) => (required ? 'yes' : 'no') },
  { name: 'What it is', text: ({ description, schema }) => description ?? schema?.description ?? '', kind: 'wrap' },
]

function Parameters({ api, operation }: Readonly<{ api: ApiDescription; operation: ApiOperation }>) {
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(api, parameter))
  if (parameters.length === 0) return null
  return (
    <Section title="Parameters">
      <Table
        name="Parameters"
        columns={PARAMETER_COLUMNS}
        rows={parameters}
        keyOf={({ name = '' }, index) => `${name} ${index}`}
      />
    </Section>
  )
}

type Field = Readonly<{ path: string; depth: number; type: string; required: boolean; description: string }>

const FIELD_COLUMNS: Column<Field>[] = [
  {
    name: 'Field',
    text: ({ path }) => path,
    show: ({ path, depth }) => <code style={{ paddingInlineStart: `${depth}rem` }}>{path.split('.').at(-1)}</code>,
  },
  { name: 'Type', text: ({ type }) => type, kind: 'wrap' },
  { name: 'Required', text: ({ required }) => (required ? 'yes' : 'no') },
  { name: 'What it is', text: ({ description }) => description, kind: 'wrap' },
]

function Fields({ name, api, schema }: Readonly<{ name: string; api: ApiDescription; schema: ApiSchema }>) {
  const fields = fieldsOf(api, schema, '', 0)
  return fields.length === 0 ? (
    <p className="quiet">{resolved(api, schema).description ?? typeOf(api, schema)}</p>
  ) : (
    <Table name={name} columns={FIELD_COLUMNS} rows={fields} keyOf={({ path }, index) => `${path} ${index}`} />
  )
}

/** The fields of an object, those within it below their own. */
function fieldsOf(api: ApiDescription, part: ApiSchema, within: string, depth: number): Field[] {
  const schema = plain(api, part)
  if (depth > DEPTH_MAX || schema.properties === undefined) return []
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    const path = within === '' ? name : `${within}.${name}`
    const inner = plain(api, field)
    return [
      {
        path,
        depth,
        type: typeOf(api, field),
        required: schema.required?.includes(name) ?? false,
        description: field.description ?? inner.description ?? '',
      },
      ...fieldsOf(api, inner.items ?? inner, path, depth + 1),
    ]
  })
}

/** Without references, and of what may be null what it else is. */
function plain(api: ApiDescription, part: ApiSchema): ApiSchema {
  const schema = resolved(api, part)
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  const other = choices?.find((one) => resolved(api, one).type !== 'null')
  return other === undefined || schema.properties !== undefined ? schema : plain(api, other)
}

function typeOf(api: ApiDescription, part: ApiSchema): string {
  const schema = plain(api, part)
  if (schema.enum !== undefined) return schema.enum.join(' | ')
  if (schema.items !== undefined) return `list of ${plain(api, schema.items).title ?? typeOf(api, schema.items)}`
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type as string | undefined)
  return schema.format ?? type ?? 'any'
}

function contentOf(content: NonNullable<ApiOperation['requestBody']>['content'] | undefined) {
  const one = content?.['application/json'] ?? Object.values(content ?? {})[0]
  const [example] = Object.values(one?.examples ?? {})
  return { schema: one?.schema, example: one?.example ?? example?.value }
}

function listed(api: ApiDescription): Listed[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ method, path, operation })),
  )
}

function curlFor(method: string, path: string, example: unknown): string {
  const verb = method === 'get' && example === undefined ? '' : `-X ${method.toUpperCase()} `
  const parts = [`curl ${verb}'${location.origin}${path}'`, '-H "token: $TOKEN"']
  const body =
    example === undefined
      ? []
      : [`-H 'content-type: application/json'`, `-d '${JSON.stringify(example).replaceAll("'", `'\\''`)}'`]
  return [...parts, ...body].join(' \\\n  ')
}
