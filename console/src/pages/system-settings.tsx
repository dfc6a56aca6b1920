import { useState } from 'react'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { Moment } from '../parts/moment.tsx'
import { SettingDialog, settingText } from '../parts/setting-dialog.tsx'
import { Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { useResponse } from '../responses.ts'

type Setting = RouteResponse<'GET /api/admin/settings'>['settings'][number]

export function Settings() {
  const { data, error, isStale, retry, answeredAtMs } = useResponse('GET /api/admin/settings')
  const [changing, setChanging] = useState<Setting>()
  const actions: Column<Setting> = {
    name: 'Actions',
    kind: 'actions',
    text: () => null,
    show: (setting) => (
      <Guarded scope="admin" className="link" onClick={() => setChanging(setting)}>
        Change<span className="hidden"> {setting.key}</span>
      </Guarded>
    ),
  }
  if (error !== null && data === undefined) return <Failure error={error} retry={retry} />
  return (
    <>
      <div className="bar-of-list">
        <p className="quiet">Settings of the shop, shared by all processes.</p>
        <CsvButton name="settings" columns={COLUMNS} rows={data?.settings} />
        <AsCurl requests={[{ name: 'GET /api/admin/settings' }]} />
      </div>
      <Failure error={error} retry={retry} since={answeredAtMs} />
      <Table
        name="Settings"
        columns={[...COLUMNS, actions]}
        rows={data?.settings}
        keyOf={({ key }) => key}
        isStale={isStale}
        expected={7}
      />
      {changing !== undefined && <SettingDialog setting={changing} onClose={() => setChanging(undefined)} />}
    </>
  )
}

const COLUMNS: Column<Setting>[] = [
  {
    name: 'Setting',
    text: ({ key }) => key,
    show: ({ key, about }) => (
      <span className="named">
        <code>{key}</code>
        <span className="small wrap">{about}</span>
      </span>
    ),
  },
  {
    name: 'Value',
    kind: 'wrap',
    text: ({ value }) => settingText(value),
    show: ({ value, default: fallback }) => (
      <>
        {settingText(value) === '' ? <span className="quiet">not set</span> : settingText(value)}{' '}
        {settingText(value) !== settingText(fallback) && <span className="badge good">changed</span>}
      </>
    ),
  },
  {
    name: 'Default',
    kind: 'wrap',
    text: ({ default: fallback }) => settingText(fallback),
    show: ({ default: fallback }) => <span className="quiet">{settingText(fallback) || 'not set'}</span>,
  },
  {
    name: 'Changed',
    text: ({ changed_at }) => changed_at,
    show: ({ changed_at, changed_by }) =>
      changed_at === null ? <span className="quiet">never</span> : <Moment at={changed_at} more={changed_by ?? ''} />,
  },
]
