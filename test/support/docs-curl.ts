/*
 * A substitute for curl on a machine without it, or with one older than `--fail-with-body`: only the options that the documents use.
 * Like `curl -s --fail-with-body`: exit code 22 for a status from 400.
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    'data-binary': { type: 'string' },
    include: { type: 'boolean', short: 'i', default: false },
    silent: { type: 'boolean', short: 's', default: false },
  },
})
const [url, ...more] = positionals
if (url === undefined || more.length > 0) throw new Error('expected one address')
const body = bodyOf(values.data ?? values['data-binary'], values.data === undefined)
const headers = Object.fromEntries(values.header.map((header) => header.split(/:\s*/, 2) as [string, string]))
const request = http.request(
  url,
  {
    method: values.request ?? (body === undefined ? 'GET' : 'POST'),
    headers: body === undefined ? headers : { ...headers, 'content-length': body.length },
    agent: false,
  },
  (response) => {
    if (values.include) process.stdout.write(headOf(response))
    response.pipe(process.stdout)
    response.on('end', () => {
      process.exitCode = response.statusCode! >= 400 ? 22 : 0
    })
  },
)
request.on('error', (error) => {
  process.stderr.write(`curl: ${error.message}\n`)
  process.exitCode = 7
})
request.end(body)

function bodyOf(given: string | undefined, isBinary: boolean): Buffer | undefined {
  if (given === undefined) return undefined
  if (!given.startsWith('@')) return Buffer.from(given)
  const bytes = readFileSync(given.slice(1))
  // As curl does for `-d @file`.
  return isBinary ? bytes : Buffer.from(bytes.toString('latin1').replace(/[\r\n]/g, ''), 'latin1')
}

function headOf({ httpVersion, statusCode, statusMessage, rawHeaders }: http.IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
  return `${[`HTTP/${httpVersion} ${statusCode} ${statusMessage}`, ...lines].join('\r\n')}\r\n\r\n`
}
