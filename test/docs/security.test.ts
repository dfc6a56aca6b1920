/*
 * docs/security.md names tests that exist: each row of its table has one, or says why not.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PROJECT, readDocument } from '../support/docs-blocks.ts'

const ROWS_MAX = 80
const WITHOUT_TEST = /^(Not met|Does not apply|Not tested)/

test('each row of the table of security has a test that exists, or says why not', () => {
  const rows = [...readDocument('docs/security.md').matchAll(/^\| (\d+\.\d[^|]*) \| ([^|]*) \| ([^|]*)\|$/gm)]
  assert(rows.length > 40 && rows.length <= ROWS_MAX, `${rows.length} rows`)
  for (const [, section = '', how = '', named = ''] of rows) {
    const [, file, name = ''] = /^`([^`]+)`: (.+?) *$/.exec(named) ?? []
    if (file === undefined) {
      assert.match(
        `${how}\n${named}`,
        /(^|\n)(Not met|Does not apply|Not tested)/,
        `${section} has neither a test nor a reason`,
      )
      continue
    }
    assert.doesNotMatch(named, WITHOUT_TEST, section)
    assert(existsSync(join(PROJECT, file)), `${section}: there is no ${file}`)
    const names = [...readFileSync(join(PROJECT, file), 'utf8').matchAll(/\btest\(\s*(['`])(.*?)\1,/gs)].map(
      ([, , one]) => one!,
    )
    assert(
      names.some((one) => one.includes(name)),
      `${section}: no test of ${file} has "${name}" in its name`,
    )
  }
})
