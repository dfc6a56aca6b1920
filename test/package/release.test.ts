import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import project from '../../package.json' with { type: 'json' }
import { PROJECT, readDocument } from '../support/docs-blocks.ts'
import { temporaryDirectory } from '../support/service-process.ts'

const run = promisify(execFile)

const RELEASE_FILES = ['package.json', 'packages/client/package.json', 'CHANGELOG.md', 'scripts/release.ts']

/** A repository with what a release looks at first. */
async function repository(t: TestContext) {
  const directory = temporaryDirectory(t)
  const fileOf = (path: string) => join(directory, path)
  const git = (...args: readonly string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: directory })
  const commit = async () => {
    await git('add', '--all')
    await git('commit', '--quiet', '--allow-empty', '--message', 'change')
  }
  const change = async (path: string, edit: (text: string) => string) => {
    writeFileSync(fileOf(path), edit(readFileSync(fileOf(path), 'utf8')))
    await commit()
  }
  const assertRefused = (reason: RegExp, ...options: readonly string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [fileOf('scripts/release.ts'), ...options], {
      cwd: directory,
      encoding: 'utf8',
    })
    assert.equal(status, 1, stderr)
    assert.match(stderr, reason)
  }
  for (const path of RELEASE_FILES) cpSync(join(PROJECT, path), fileOf(path))
  await git('init', '--quiet')
  await commit()
  return { fileOf, git, commit, change, assertRefused }
}

test('a release is refused with changes, of a version that is tagged, and if the versions of package, client and changelog differ', async (t) => {
  const { fileOf, git, commit, change, assertRefused } = await repository(t)
  writeFileSync(fileOf('new.txt'), '')
  assertRefused(/^release: there are changes that are not committed\n$/, '--dry-run')
  await change('CHANGELOG.md', (text) => text.replace(/^## .*$/m, `## ${project.version} (unreleased)`))
  assertRefused(/^release: CHANGELOG.md says that \S+ is unreleased: put the date there, and commit it\n$/)
  await git('tag', `v${project.version}`)
  assertRefused(/^release: v\S+ is released already: raise the version\n$/)
  await commit()
  assertRefused(/^release: v\S+ is released already: raise the version\n$/, '--dry-run')
  const raise = (text: string) => text.replace(/"version": ".*"/, '"version": "99.0.0"')
  await change('package.json', raise)
  assertRefused(/^release: packages\/client\/package.json has another version than 99.0.0\n$/, '--dry-run')
  await change('packages/client/package.json', raise)
  assertRefused(/^release: CHANGELOG.md begins with "## \S+ \(unreleased\)", and package.json has version 99.0.0\n$/)
})

test('the versions of package, lock file, client and changelog are one', () => {
  const lock = JSON.parse(readDocument('package-lock.json'))
  const client = JSON.parse(readDocument('packages/client/package.json'))
  const [, changed] = /^## (\S+)/m.exec(readDocument('CHANGELOG.md')) ?? []
  assert.deepEqual([lock.version, lock.packages[''].version, client.version, changed], Array(4).fill(project.version))
})

test('the workflows run .ci/run and scripts that exist, and have no rights beyond reading unless a job asks for them', () => {
  const paths = globSync('.github/**/*.yaml', { cwd: PROJECT })
  assert(paths.length >= 4)
  for (const path of paths) {
    const text = readDocument(path)
    const written = parse(text)
    for (const [, script] of text.matchAll(/\bnpm run (\S+)/g))
      assert(Object.hasOwn(project.scripts, script!), `${path}: ${script}`)
    if (path.startsWith('.github/workflows/')) assert.deepEqual(written.permissions, { contents: 'read' }, path)
  }
  assert.match(readDocument('.github/workflows/ci.yaml'), /run: bash \.ci\/run$/m)
  JSON.parse(readDocument('renovate.json'))
})
