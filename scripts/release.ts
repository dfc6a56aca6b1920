/*
 * `npm run release`: makes the files of a release in release/VERSION, and tags the commit. With `--dry-run`, it tags nothing. It publishes nothing.
 * Only modules of Node are imported, so that what is wrong is said before anything is installed.
 */
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const CLIENT = join(PROJECT, 'packages/client')

type Package = Readonly<{ version: string }>

function run(program: string, args: readonly string[], cwd = PROJECT): string {
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  })
}

function refuse(reason: string): never {
  console.error(`release: ${reason}`)
  process.exit(1)
}

const packageIn = (directory: string): Package => JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))

/** The section of a version in the changelog, and whether it is said to be released. */
function changesOf(version: string): Readonly<{ text: string; isReleased: boolean }> {
  const [, ...sections] = readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m)
  const [heading = '', ...lines] = (sections[0] ?? '').split('\n')
  const [, named, note = ''] = /^## (\S+)(?: \((.*)\))?$/.exec(heading) ?? []
  if (named !== version) refuse(`CHANGELOG.md begins with "${heading}", and package.json has version ${version}`)
  return { text: `${lines.join('\n').trim()}\n`, isReleased: note !== 'unreleased' }
}

const { values: options } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } })
const { version } = packageIn(PROJECT)
const tag = `v${version}`
if (run('git', ['status', '--porcelain']) !== '') refuse('there are changes that are not committed')
const isTagged = run('git', ['tag', '--list', tag]) !== ''
// The workflow of a tag makes the files of its own commit.
const isThisCommit = run('git', ['tag', '--list', tag, '--points-at', 'HEAD']) !== ''
if (isTagged && !(isThisCommit && options['dry-run'])) refuse(`${tag} is released already: raise the version`)
if (packageIn(CLIENT).version !== version) refuse(`packages/client/package.json has another version than ${version}`)
const changes = changesOf(version)
if (!changes.isReleased && (isThisCommit || !options['dry-run']))
  refuse(`CHANGELOG.md says that ${version} is unreleased: put the date there, and commit it`)

const directory = join(PROJECT, 'release', version)
rmSync(directory, { recursive: true, force: true })
mkdirSync(directory, { recursive: true })
for (const place of [PROJECT, CLIENT]) run('npm', ['pack', '--silent', '--pack-destination', directory], place)
writeFileSync(join(directory, `laurel-${version}.cdx.json`), run('npm', ['run', '--silent', 'sbom']))
copyFileSync(join(PROJECT, 'console/dist/THIRD-PARTY-NOTICES.txt'), join(directory, 'THIRD-PARTY-NOTICES.txt'))
writeFileSync(join(directory, 'CHANGES.md'), changes.text)
const files = globSync('*', { cwd: directory }).sort()
const sums = files.map((name) => `${hash('sha256', readFileSync(join(directory, name)))}  ${name}\n`)
writeFileSync(join(directory, 'SHA256SUMS'), sums.join(''))
for (const name of [...files, 'SHA256SUMS'])
  console.log(`${String(statSync(join(directory, name)).size).padStart(10)} bytes  release/${version}/${name}`)
if (options['dry-run']) console.log(`${tag} was not tagged: this was a dry run`)
else {
  run('git', ['tag', '--annotate', tag, '--message', `Laurel ${version}`])
  console.log(`${tag} is tagged: git push origin ${tag} lets the workflow publish it`)
}
