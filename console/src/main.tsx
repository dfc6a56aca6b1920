import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { queryClient } from './responses.ts'
import { SessionGate } from './session.tsx'
import { applyTheme } from './theme.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/charts.css'
import './styles/service.css'

applyTheme()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <SessionGate>
          <App />
        </SessionGate>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
