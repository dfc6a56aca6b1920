import { Page } from '../parts/page.tsx'
import { Segments } from '../parts/segments.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { Requests, SPANS, type Span } from './system-requests.tsx'
import { Settings } from './system-settings.tsx'

const TABS = { requests: 'Requests', settings: 'Settings' } as const

export function System() {
  const [tab] = useUrlState('tab', 'requests')
  const [span, setSpan] = useUrlState('last', '1h')
  const shown = (span in SPANS ? span : '1h') as Span
  return (
    <Page
      title="System"
      about="Whether the service is fast, and what it runs with."
      actions={
        tab !== 'settings' && (
          <Segments
            name="How far back"
            choices={
              Object.fromEntries(Object.entries(SPANS).map(([key, { name }]) => [key, name])) as Record<Span, string>
            }
            value={shown}
            onChange={setSpan}
          />
        )
      }
    >
      <Tabs name="About the service" tabs={TABS} tab={tab === 'settings' ? 'settings' : 'requests'} />
      {tab === 'settings' ? <Settings /> : <Requests span={shown} />}
    </Page>
  )
}
