import { Page } from '../parts/page.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { Acts } from './access-acts.tsx'
import { Sessions } from './access-sessions.tsx'
import { CreateToken, Tokens } from './access-tokens.tsx'

const TABS = { tokens: 'Tokens', sessions: 'Sessions', acts: 'Audit log' } as const

export function Access() {
  const [tab] = useUrlState('tab', 'tokens')
  return (
    <Page title="Access" about="Tokens, sessions and audit log." actions={<CreateToken />}>
      <Tabs name="About access" tabs={TABS} tab={tab in TABS ? (tab as keyof typeof TABS) : 'tokens'} />
      {tab === 'sessions' ? <Sessions /> : tab === 'acts' ? <Acts /> : <Tokens />}
    </Page>
  )
}
