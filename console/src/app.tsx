import { type ComponentType, lazy, Suspense } from 'react'
import { Route, Router, Switch } from 'wouter'
import { useRawPath, useRawSearch } from './address.ts'
import { Overview } from './pages/overview.tsx'
import { Page } from './parts/page.tsx'
import { PageBoundary } from './parts/page-boundary.tsx'
import { Empty, Skeleton } from './parts/states.tsx'
import { Shell } from './shell.tsx'

/** Loaded when it is first opened. */
function page<Name extends string>(load: () => Promise<Readonly<Record<Name, ComponentType>>>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] }))
}

const PAGES = {
  '/players': page(() => import('./pages/players.tsx'), 'Players'),
  '/players/:id': page(() => import('./pages/player.tsx'), 'Player'),
  '/orders': page(() => import('./pages/orders.tsx'), 'Orders'),
  '/orders/:id': page(() => import('./pages/order.tsx'), 'Order'),
  '/predictions': page(() => import('./pages/predictions.tsx'), 'Predictions'),
  '/feeds': page(() => import('./pages/feeds.tsx'), 'Feeds'),
  '/access': page(() => import('./pages/access.tsx'), 'Access'),
  '/system': page(() => import('./pages/system.tsx'), 'System'),
  '/api': page(() => import('./pages/api.tsx'), 'Api'),
  '/api/:id': page(() => import('./pages/api.tsx'), 'ApiOperationPage'),
  '/program': page(() => import('./pages/program.tsx'), 'Program'),
  '/program/versions/:version': page(() => import('./pages/program.tsx'), 'ProgramVersion'),
  '/program/drafts/:id': page(() => import('./pages/draft.tsx'), 'DraftPage'),
  '/try': page(() => import('./pages/try.tsx'), 'TryOrder'),
  '/products': page(() => import('./pages/products.tsx'), 'Products'),
} as const

export function App() {
  return (
    <Router base="/console" hook={useRawPath} searchHook={useRawSearch}>
      <Shell>
        <PageBoundary>
          <Suspense fallback={<Skeleton width="12rem" height="1.75rem" />}>
            <Switch>
              <Route path="/" component={Overview} />
              {Object.entries(PAGES).map(([path, component]) => (
                <Route key={path} path={path} component={component} />
              ))}
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </PageBoundary>
      </Shell>
    </Router>
  )
}

function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="Page not found">
        <p>It may belong to another version of Laurel. The menu lists all pages.</p>
      </Empty>
    </Page>
  )
}
