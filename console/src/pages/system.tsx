import { Page } from '../parts/page.tsx'
import { Segments } from '../parts/segments.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { Jobs } from './system-jobs.tsx'
import { Requests, SPANS, type Span } from './system-requests.tsx'
import { Settings } from './system-settings.tsx'

const TABS = { requests: 'Requests', jobs: 'Jobs', settings: 'Settings' } as const

export function System() {
  const [tabName] = useUrlState('tab', 'requests')
  const tab = (tabName in TABS ? tabName : 'requests') as keyof typeof TABS
  const [span, setSpan] = useUrlState('last', '1h')
  const shown = (span in SPANS ? span : '1h') as Span
  return (
    <Page
      title="System"
      about="Performance, jobs and settings."
      actions={
        tab === 'requests' && (
          <Segments
            name="Period"
            choices={
              Object.fromEntries(Object.entries(SPANS).map(([key, { name }]) => [key, name])) as Record<Span, string>
            }
            value={shown}
            onChange={setSpan}
          />
        )
      }
    >
      <Tabs name="About the service" tabs={TABS} tab={tab} />
      {tab === 'settings' ? <Settings /> : tab === 'jobs' ? <Jobs /> : <Requests span={shown} />}
    </Page>
  )
}
