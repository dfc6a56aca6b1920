import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { ask, Refused } from '../api.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Dialog, DialogFooter } from '../parts/dialog.tsx'
import { Editor, type Issue } from '../parts/editor.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { JobPanel } from '../parts/job-panel.tsx'
import { type Backtest, BacktestResult, type Probe, ProbeResult } from '../parts/job-results.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Waterfall } from '../parts/waterfall.tsx'
import { programWords } from '../program-words.ts'
import { useRequest } from '../request.ts'
import { useInvalidate, useResponse } from '../responses.ts'
import { type Edited, useSavedDraft } from '../saved-draft.ts'
import { useUrlState } from '../url-state.ts'
import { PublishDraft } from './draft-publish.tsx'

type Draft = RouteResponse<'GET /api/admin/drafts/:id'>
type Check = RouteResponse<'POST /api/admin/programs/check'>

const CHECK_MS = 300
const CHECK_AGAIN_MS = 2_000

export function DraftPage() {
  const { id = '' } = useParams()
  // An earlier answer may be older than what was saved since.
  const { data, error, retry } = useResponse('GET /api/admin/drafts/:id', { params: { id } }, { remembered: false })
  if (error !== null && data === undefined)
    return (
      <Page title="Draft">
        <Failure error={error} retry={retry} />
        {error instanceof Refused && error.status === 404 && (
          <Empty title="Draft not found">
            <p>
              It has been deleted, or never existed. <Link href="/program">All drafts</Link>
            </p>
          </Empty>
        )}
      </Page>
    )
  return data === undefined ? <Skeleton width="100%" height="24rem" /> : <OpenDraft key={id} opened={data} />
}

function OpenDraft({ opened }: Readonly<{ opened: Draft }>) {
  const [tabName] = useUrlState('tab', 'edit')
  const { draft, change, isSaved, state, theirs, takeTheirs, keepMine, failure } = useSavedDraft(opened)
  const [isDeleting, setDeleting] = useState(false)
  const checked = useCheck(draft.source, draft.cases)
  const words = useQuery({ queryKey: ['program-words'], queryFn: programWords, staleTime: Number.POSITIVE_INFINITY })
  const issues = checked?.faults ?? []
  const failed = checked?.cases.filter(({ as_expected }) => !as_expected).length ?? 0
  const TABS = {
    edit: issues.length === 0 ? 'Edit' : `Edit (${issues.length} ${issues.length === 1 ? 'error' : 'errors'})`,
    diff: 'Diff',
    cases:
      checked === undefined || checked.cases.length === 0
        ? 'Cases'
        : `Cases (${checked.cases.length - failed} of ${checked.cases.length})`,
    backtest: 'Backtest',
    probe: 'Probe',
    publish: 'Publish',
  }
  const tab = (tabName in TABS ? tabName : 'edit') as keyof typeof TABS
  return (
    <Page
      title={draft.name}
      about={
        <span role="status">
          Draft{opened.based_on === null ? '' : ` from version ${opened.based_on}`}, {state}
        </span>
      }
      actions={
        <>
          <Guarded scope="program" className="button danger" onClick={() => setDeleting(true)}>
            Delete
          </Guarded>
          <AsCurl
            requests={[{ name: 'POST /api/admin/programs/check', request: { data: { source: draft.source } } }]}
          />
        </>
      }
    >
      <Failure error={failure} />
      {theirs !== undefined && (
        <div className="notice warn" role="alert">
          <span>
            Another user changed this draft on <Moment at={theirs.changed_at} /> (revision {theirs.revision}). Your
            changes are not saved.
          </span>
          <button type="button" className="link" onClick={takeTheirs}>
            Take theirs
          </button>
          <button type="button" className="link" onClick={keepMine}>
            Keep mine
          </button>
          <Diff label="from theirs to yours" from={theirs.source} to={draft.source} />
        </div>
      )}
      <Tabs name="Parts of the draft" tabs={TABS} tab={tab} />
      {tab === 'edit' && (
        <div className="form">
          <label className="field narrow">
            <span>Draft name</span>
            <input value={draft.name} maxLength={200} onChange={(event) => change({ name: event.target.value })} />
          </label>
          <Editor
            name="Program text"
            value={draft.source}
            onChange={(source) => change({ source })}
            issues={issues}
            words={words.data ?? []}
          />
          <Issues issues={issues} isChecked={checked !== undefined} />
        </div>
      )}
      {tab === 'diff' && <DiffTab source={draft.source} />}
      {tab === 'cases' && <Cases cases={draft.cases} change={change} checked={checked} />}
      {tab === 'backtest' && (
        <JobPanel<Backtest>
          kind="backtest"
          data={{ source: draft.source }}
          canRun={checked !== undefined && issues.length === 0}
          about="Recomputes every recorded order under this draft: its cost, and the players who would gain or lose."
          show={(result, rerun) => <BacktestResult result={result} rerun={rerun} />}
        />
      )}
      {tab === 'probe' && (
        <JobPanel<Probe>
          kind="probe"
          data={{ source: draft.source }}
          canRun={checked !== undefined && issues.length === 0}
          about="Tests thousands of generated orders for loopholes: split orders, returns, circular referrals."
          show={(result) => <ProbeResult result={result} />}
        />
      )}
      {tab === 'publish' && <PublishDraft draft={draft} issues={issues} isSaved={isSaved} failedCases={failed} />}
      {isDeleting && <DeleteDraft id={opened.id} name={draft.name} onClose={() => setDeleting(false)} />}
    </Page>
  )
}

/** The verdict of the service's own reader on the text, a moment after the last key press. */
function useCheck(source: string, cases: string): Check | undefined {
  const [checked, setChecked] = useState<Check>()
  useEffect(() => {
    const leaving = new AbortController()
    const data = { source, ...(cases.trim() === '' ? {} : { cases }) }
    const check = () =>
      ask('POST /api/admin/programs/check', { data }, leaving.signal).then(setChecked, () => {
        if (!leaving.signal.aborted) timer = setTimeout(check, CHECK_AGAIN_MS)
      })
    let timer = setTimeout(check, CHECK_MS)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [source, cases])
  return checked
}

function Issues({ issues, isChecked }: Readonly<{ issues: readonly Issue[]; isChecked: boolean }>) {
  return (
    <div role="status">
      {!isChecked ? (
        <p className="quiet">Checking…</p>
      ) : issues.length === 0 ? (
        <p className="good">No errors.</p>
      ) : (
        <ul className="faults">
          {issues.map(({ path, line, column, error, excerpt, see }) => (
            <li key={`${line ?? 0} ${path} ${error}`}>
              {line !== undefined && (
                <span className="quiet">
                  line {line}
                  {column !== undefined && `, column ${column}`}{' '}
                </span>
              )}
              {path !== '' && <code>{path}</code>} {error}
              {excerpt !== undefined && <pre className="code">{excerpt}</pre>}
              {see !== undefined && <span className="quiet">see {see}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function DiffTab({ source }: Readonly<{ source: string }>) {
  const [against, setAgainst] = useUrlState('against')
  const versions = useResponse('GET /api/admin/programs')
  return (
    <div className="form">
      <label className="field narrow">
        <span>Compare with</span>
        <select value={against} onChange={(event) => setAgainst(event.target.value)}>
          <option value="">the version in effect</option>
          {versions.data?.programs.map(({ version, name }) => (
            <option key={version} value={String(version)}>
              version {version}, {name}
            </option>
          ))}
        </select>
      </label>
      <Diff label="to this draft" version={against} to={source} />
    </div>
  )
}

function Diff({
  label,
  from,
  version = '',
  to,
}: Readonly<{ label: string; from?: string; version?: string; to: string }>) {
  const begins = from !== undefined ? { from_source: from } : version === '' ? {} : { from_version: Number(version) }
  const data = { ...begins, to_source: to }
  const { data: diff, error } = useQuery({
    queryKey: ['diff', data],
    queryFn: ({ signal }) => ask('POST /api/admin/programs/diff', { data }, signal),
  })
  if (error !== null) return <Failure error={error} />
  if (diff === undefined) return <Skeleton width="100%" height="8rem" />
  if (diff.equal) return <p className="quiet">No changes.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <pre className="code diff" tabIndex={0} title={`Changes ${label}`}>
      {diff.patch.split('\n').map((line, index) => (
        <span key={index} className={classOf(line)}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

function classOf(line: string): string {
  if (/^(?:---|\+\+\+|@@)/.test(line)) return 'quiet'
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''
}

function Cases({
  cases,
  change,
  checked,
}: Readonly<{ cases: string; change: (change: Partial<Edited>) => void; checked: Check | undefined }>) {
  return (
    <div className="form">
      <p className="quiet">Orders with their expected results, checked as you type.</p>
      <Editor
        name="Test orders"
        value={cases}
        onChange={(text) => change({ cases: text })}
        issues={checked?.case_faults ?? []}
      />
      {checked !== undefined && checked.case_faults.length > 0 && <Issues issues={checked.case_faults} isChecked />}
      {cases.trim() === '' && (
        <Empty title="No test orders yet">
          <p>Write some, or copy one from the Simulator:</p>
          <pre className="code">{`cases:\n  - name: a small order\n    orders:\n      - { total_amount: 119, expect: { points: 11 } }`}</pre>
        </Empty>
      )}
      {checked?.cases.map(({ name, as_expected, orders }) => (
        <details key={name} className="case" open={!as_expected}>
          <summary>
            <span className={`badge ${as_expected ? 'good' : 'bad'}`}>{as_expected ? 'as expected' : 'failed'}</span>{' '}
            {name}
          </summary>
          {orders.map((order) => (
            <div key={order.order_id ?? order.redemption_id}>
              <p>
                {order.order_id ?? order.redemption_id} of {order.user_id}: {order.message ?? order.refused}
              </p>
              {order.mismatches.map(({ what, expected, actual }) => (
                <p key={what} className="bad">
                  {what}: expected {expected}, got {actual}
                </p>
              ))}
              {order.explanation !== undefined && (
                <Waterfall explanation={order.explanation} points={order.total_points ?? 0} />
              )}
            </div>
          ))}
        </details>
      ))}
      {checked?.warnings?.map((warning) => (
        <p key={warning} className="quiet">
          Warning: {warning}.
        </p>
      ))}
      {checked !== undefined && checked.cases.length > 0 && checked.untried.length > 0 && (
        <p className="quiet">Rules not covered by any case: {checked.untried.join(', ')}.</p>
      )}
    </div>
  )
}

function DeleteDraft({ id, name, onClose }: Readonly<{ id: string; name: string; onClose: () => void }>) {
  const [, go] = useLocation()
  const invalidate = useInvalidate()
  const { run, failure, busy } = useRequest()
  const remove = () =>
    run(async () => {
      await ask('DELETE /api/admin/drafts/:id', { params: { id } })
      await invalidate('GET /api/admin/drafts')
      go('/program')
    })
  return (
    <Dialog title={`Delete the draft ${name}?`} onClose={onClose}>
      <p>It is deleted for all users. Versions published from it stay.</p>
      <Failure error={failure} />
      <DialogFooter label="Delete" onDo={remove} onCancel={onClose} kind="danger" disabled={busy} />
    </Dialog>
  )
}
