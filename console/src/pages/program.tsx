import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { ask } from '../api.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Dialog, DialogFooter } from '../parts/dialog.tsx'
import { Editor } from '../parts/editor.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { Icon } from '../parts/icon.tsx'
import { BothClocks, Moment } from '../parts/moment.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { useRequest } from '../request.ts'
import { useInvalidate, useResponse } from '../responses.ts'
import { useMay } from '../session.tsx'

type Version = RouteResponse<'GET /api/admin/programs'>['programs'][number]
type Draft = RouteResponse<'GET /api/admin/drafts'>['drafts'][number]

/** When a version takes effect. */
function Effect({ from }: Readonly<{ from: string }>) {
  return from === '-infinity' ? 'the beginning' : <Moment at={from} />
}

function stateOf({ is_effective, withdrawn_at, effective_from }: Version): readonly [string, string] {
  if (withdrawn_at !== null) return ['withdrawn', '']
  if (is_effective) return ['in effect', 'good']
  return effective_from !== '-infinity' && Date.parse(effective_from!) > Date.now()
    ? ['scheduled', 'warn']
    : ['superseded', '']
}

/** Starts a draft with the text of a version; `current` is the one in effect. */
function useNewDraft() {
  const [, go] = useLocation()
  const { run, failure } = useRequest()
  const begin = (version: string) =>
    run(async () => {
      const program = await ask('GET /api/admin/programs/:version', { params: { version } })
      const draft = await ask('POST /api/admin/drafts', {
        data: { name: program.name, source: program.source, cases: '', based_on: program.version },
      })
      go(`/program/drafts/${draft.id}`)
    })
  return { begin, failure }
}

export function Program() {
  const mayEdit = useMay('program')
  const versions = useResponse('GET /api/admin/programs')
  const drafts = useResponse('GET /api/admin/drafts', {}, { when: mayEdit })
  const [withdrawing, setWithdrawing] = useState<Version>()
  const { begin, failure } = useNewDraft()
  const columns = versionColumns(setWithdrawing)
  return (
    <Page
      title="Program"
      about="Rules for points and levels: drafts, and every published version."
      actions={
        <>
          <Guarded scope="program" className="button primary" onClick={() => begin('current')}>
            <Icon name="plus" /> New draft
          </Guarded>
          <AsCurl requests={[{ name: 'GET /api/admin/programs' }, { name: 'GET /api/admin/drafts' }]} />
        </>
      }
    >
      <Failure error={failure} />
      <Failure error={versions.error} retry={versions.retry} />
      <Section title="Drafts">
        {!mayEdit ? (
          <p className="quiet">
            Your token may not see drafts: it lacks the scope <code>program</code>.
          </p>
        ) : drafts.data?.drafts.length === 0 ? (
          <Empty title="No drafts">
            <p>A draft is a program in progress: checked as you type, tried against past orders, then published.</p>
          </Empty>
        ) : (
          <>
            <Failure error={drafts.error} retry={drafts.retry} />
            <Table
              name="Drafts"
              columns={DRAFT_COLUMNS}
              rows={drafts.data?.drafts}
              keyOf={({ id }) => id}
              expected={2}
            />
          </>
        )}
      </Section>
      <Section
        title="Versions"
        actions={<CsvButton name="versions" columns={columns.slice(0, -1)} rows={versions.data?.programs} />}
      >
        <Table
          name="Versions"
          columns={columns}
          rows={versions.data?.programs.toReversed()}
          keyOf={({ version }) => String(version)}
          isStale={versions.isStale}
          expected={2}
        />
      </Section>
      {withdrawing !== undefined && <Withdraw version={withdrawing} onClose={() => setWithdrawing(undefined)} />}
    </Page>
  )
}

const DRAFT_COLUMNS: Column<Draft>[] = [
  {
    name: 'Draft',
    text: ({ name }) => name,
    show: ({ name, id }) => <Link href={`/program/drafts/${id}`}>{name}</Link>,
    kind: 'wrap',
  },
  { name: 'From', text: ({ based_on }) => based_on, show: ({ based_on }) => (based_on === null ? '' : `v${based_on}`) },
  { name: 'Revision', text: ({ revision }) => revision, kind: 'number' },
  { name: 'Changed', text: ({ changed_at }) => changed_at, show: ({ changed_at }) => <Moment at={changed_at} /> },
]

function versionColumns(withdraw: (version: Version) => void): Column<Version>[] {
  return [
    {
      name: 'Version',
      text: ({ version }) => version,
      show: ({ version, name }) => <Link href={`/program/versions/${version}`}>{`v${version} ${name}`}</Link>,
      kind: 'wrap',
    },
    {
      name: 'State',
      text: (version) => stateOf(version)[0],
      show: (version) => <span className={`badge ${stateOf(version)[1]}`}>{stateOf(version)[0]}</span>,
    },
    {
      name: 'In effect from',
      text: ({ effective_from }) => effective_from!,
      show: ({ effective_from }) => <Effect from={effective_from!} />,
    },
    {
      name: 'Published',
      text: ({ published_at }) => published_at,
      show: ({ published_at }) => <Moment at={published_at} />,
    },
    { name: 'Note', text: ({ note }) => note, kind: 'wrap' },
    {
      name: 'Action',
      text: () => '',
      show: (version) =>
        stateOf(version)[0] === 'scheduled' && (
          <Guarded scope="publish" className="link" onClick={() => withdraw(version)}>
            Withdraw<span className="hidden"> version {version.version}</span>
          </Guarded>
        ),
    },
  ]
}

function Withdraw({ version, onClose }: Readonly<{ version: Version; onClose: () => void }>) {
  const invalidate = useInvalidate()
  const { run, failure, busy } = useRequest()
  const withdraw = () =>
    run(async () => {
      await ask('POST /api/admin/programs/:version/withdraw', { params: { version: String(version.version) } })
      await invalidate('GET /api/admin/programs')
      onClose()
    })
  return (
    <Dialog title={`Withdraw version ${version.version}?`} onClose={onClose}>
      <p>
        {version.name} would take effect on <BothClocks at={version.effective_from!} />. Once withdrawn, it stays in the
        list but never takes effect; its number is not used again.
      </p>
      <Failure error={failure} />
      <DialogFooter label="Withdraw" onDo={withdraw} onCancel={onClose} kind="danger" disabled={busy} />
    </Dialog>
  )
}

export function ProgramVersion() {
  const { version = '' } = useParams()
  const request = { params: { version } }
  const { data, error, retry } = useResponse('GET /api/admin/programs/:version', request)
  const { begin, failure } = useNewDraft()
  return (
    <Page
      title={data === undefined ? `Version ${version}` : `${data.name}, version ${data.version}`}
      about={
        data && (
          <>
            In effect from <Effect from={data.effective_from!} />. {data.note}
          </>
        )
      }
      actions={
        <>
          <Guarded scope="program" onClick={() => begin(version)}>
            <Icon name="plus" /> New draft from this
          </Guarded>
          <AsCurl requests={[{ name: 'GET /api/admin/programs/:version', request }]} />
        </>
      }
    >
      <Failure error={error ?? failure} retry={retry} />
      {data === undefined ? (
        error === null && <Skeleton width="100%" height="20rem" />
      ) : (
        <Editor name={`Program, version ${data.version}`} value={data.source} readOnly />
      )}
    </Page>
  )
}
