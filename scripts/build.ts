/*
 * Builds what a package carries in place of `src/`, which Node does not run below node_modules: `dist/`, with the same files as JavaScript. It is as
 * deep as `src/`, so that both find `package.json`, `schemas/` and `console/dist/` at the same relative paths. `npm run build` and `npm pack` run this.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freshDatabaseFile } from '../src/database/embedded/fresh-database.ts'
import { buildConsole } from './build-console.ts'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(PROJECT, 'dist')
/** A worker thread is started by the URL of its file, which the compiler leaves as it is. */
const THREAD_URL = /(?<=new URL\('\.\/[\w-]+)\.ts(?=', import\.meta\.url\))/g

rmSync(DIST, { recursive: true, force: true })
execFileSync(join(PROJECT, 'node_modules/.bin/tsc'), ['--project', join(PROJECT, 'tsconfig.build.json')], {
  stdio: 'inherit',
})
for (const path of globSync('**/*.js', { cwd: DIST }).map((name) => join(DIST, name))) {
  const compiled = readFileSync(path, 'utf8')
  const started = compiled.replace(THREAD_URL, '.js')
  if (started !== compiled) writeFileSync(path, started)
}
for (const name of globSync('**/*.sql', { cwd: join(PROJECT, 'src') }))
  cpSync(join(PROJECT, 'src', name), join(DIST, name))
cpSync(freshDatabaseFile, join(DIST, 'database/embedded', basename(freshDatabaseFile)))
if ((await buildConsole()) === 'no-vite')
  throw new Error('the console cannot be built without development packages: run npm ci')
