import type { ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import { type ApiDescription, type ApiOperation, resolved, useOpenApi } from '../open-api.ts'
import { CopyButton } from '../parts/copy.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Fields, Parameters } from '../parts/schema-fields.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { useMay } from '../session.tsx'
import { useUrlState } from '../url-state.ts'

type Listed = Readonly<{ method: string; path: string; operation: ApiOperation }>
const METHODS = ['get', 'post', 'put', 'delete', 'patch']

export function Api() {
  const { data, error, refetch } = useOpenApi()
  const [filter, setFilter] = useUrlState('find')
  const wanted = filter.toLowerCase()
  const matching = (data === undefined ? [] : listed(data)).filter(({ method, path, operation }) =>
    `${method} ${path} ${operation.summary}`.toLowerCase().includes(wanted),
  )
  const tags = Map.groupBy(matching, ({ operation }) => operation.tags?.[0] ?? 'other')
  return (
    <Page
      title="API"
      about={
        <>
          All operations of the service, from its <a href="/openapi.json">OpenAPI description</a>
          {data !== undefined && `: ${listed(data).length} operations, version ${data.info.version}`}.
        </>
      }
    >
      <div className="filter">
        <label className="field">
          <span>Path or keywords</span>
          <input type="search" value={filter} data-filter onChange={(event) => setFilter(event.target.value)} />
        </label>
      </div>
      <Failure error={error} retry={refetch} />
      {data === undefined && error === null && <Skeleton width="100%" height="20rem" />}
      {data !== undefined && matching.length === 0 && <Empty title="No matching operations" />}
      {[...tags].map(([tag, operations]) => (
        <Section key={tag} title={<span className="capital">{tag}</span>}>
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
  const { data, error, refetch } = useOpenApi()
  const match = data === undefined ? undefined : listed(data).find(({ operation }) => operation.operationId === id)
  if (data !== undefined && match !== undefined) return <OneOperation api={data} {...match} />
  return (
    <Page title={data === undefined ? 'API' : 'Not found'}>
      <Failure error={error} retry={refetch} />
      {data === undefined && error === null && <Skeleton width="100%" height="20rem" />}
      {data !== undefined && (
        <Empty title="Operation not found">
          <p>
            <Link href="/api">All operations</Link>
          </p>
        </Empty>
      )}
    </Page>
  )
}

/** What an operation takes and returns, beside a command to copy and an example of its response. */
function OneOperation({ api, method, path, operation }: Listed & Readonly<{ api: ApiDescription }>) {
  const body = contentOf(operation.requestBody?.content)
  const [status, good] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? ['', undefined]
  const reply = contentOf(good?.content)
  const curl = curlFor(method, path, operation, body.example)
  const others = Object.entries(operation.responses).filter(([code]) => !code.startsWith('2'))
  return (
    <Page
      title={operation.summary}
      about={
        <>
          <Link href="/api">API</Link> <span className="quiet">/</span> <Method method={method} /> <code>{path}</code>
        </>
      }
    >
      <div className="described">
        <div>
          <div className="prose">
            {paragraphsOf(operation).map((text) => (
              <p key={text}>{withCode(text)}</p>
            ))}
            <Scopes scopes={operation['x-scopes']} />
          </div>
          <Parameters api={api} operation={operation} />
          {body.schema !== undefined && (
            <Section title="Body">
              <Fields name="Body" api={api} schema={body.schema} />
            </Section>
          )}
          {reply.schema !== undefined && (
            <Section title={`Response, ${status}`}>
              <Fields name="Response" api={api} schema={reply.schema} />
            </Section>
          )}
          <Section title="Other responses">
            <ul className="answers">
              {others.map(([code, response]) => (
                <li key={code}>
                  <code>{code}</code>{' '}
                  <span className="quiet">{withCode(resolved(api, response).description ?? '')}</span>
                </li>
              ))}
            </ul>
          </Section>
        </div>
        <div className="examples">
          <Example title="As a command" text={curl} />
          {reply.example !== undefined && <Example title={`Response, ${status}`} text={textOf(reply.example)} />}
        </div>
      </div>
    </Page>
  )
}

function Example({ title, text }: Readonly<{ title: string; text: string }>) {
  return (
    <section className="example" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <CopyButton text={text} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre className="code tall" tabIndex={0}>
        {text}
      </pre>
    </section>
  )
}

function Scopes({ scopes }: Readonly<{ scopes: readonly string[] | undefined }>) {
  const may = useMay(...(scopes ?? []))
  if (scopes === undefined) return <p className="small">Needs no token.</p>
  return (
    <p className="small">
      Needs a token with{' '}
      {scopes.map((scope, index) => (
        <span key={scope}>
          {index > 0 && ' or '}
          <code>{scope}</code>
        </span>
      ))}
      ; yours {may ? 'has it' : 'does not'}.
    </p>
  )
}

function Method({ method }: Readonly<{ method: string }>) {
  return <span className={`badge method ${method}`}>{method.toUpperCase()}</span>
}

/** All but the last paragraph, which names the scope. */
function paragraphsOf({ description = '' }: ApiOperation): string[] {
  return description.split('\n\n').filter((text) => text !== '' && !/^Scopes?: /.test(text))
}

/** Text between backticks as code. */
function withCode(text: string): ReactNode {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={`${index} ${part}`}>{part}</code> : part))
}

function contentOf(content: NonNullable<ApiOperation['requestBody']>['content'] | undefined) {
  const one = content?.['application/json'] ?? Object.values(content ?? {})[0]
  const [example] = Object.values(one?.examples ?? {})
  return { schema: one?.schema, example: one?.example ?? example?.value }
}

function textOf(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example, null, 2)
}

function listed(api: ApiDescription): Listed[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ method, path, operation })),
  )
}

/** A command that works on this service: path parameters are filled with their examples. */
function curlFor(method: string, path: string, operation: ApiOperation, example: unknown): string {
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = operation.parameters?.find((one) => one.name === name)
    return encodeURIComponent(String(parameter?.schema?.examples?.[0] ?? whole))
  })
  const isPlain = method === 'get' && example === undefined
  const parts = [
    `curl ${isPlain ? '' : `-X ${method.toUpperCase()} `}'${location.origin}${filled}'`,
    ...(operation['x-scopes'] === undefined ? [] : ['-H "token: $TOKEN"']),
    ...(example === undefined
      ? []
      : [`-H 'content-type: application/json'`, `-d '${textOf(example).replaceAll("'", `'\\''`)}'`]),
  ]
  return parts.join(' \\\n  ')
}
