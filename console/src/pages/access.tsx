import { Page } from '../parts/page.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { Acts } from './access-acts.tsx'
import { Sessions } from './access-sessions.tsx'
import { CreateToken, Tokens } from './access-tokens.tsx'

const TABS = { tokens: 'Tokens', sessions: 'Sessions', acts: 'Acts' } as const

export function Access() {
  const [tab] = useUrlState('tab', 'tokens')
  return (
    <Page
      title="Access"
      about="Who may call the service, who is signed in, and what people did."
      actions={<CreateToken />}
    >
      <Tabs name="About access" tabs={TABS} tab={tab in TABS ? (tab as keyof typeof TABS) : 'tokens'} />
      {tab === 'sessions' ? <Sessions /> : tab === 'acts' ? <Acts /> : <Tokens />}
    </Page>
  )
}
