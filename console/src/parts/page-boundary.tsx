import { Component, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { Page } from './page.tsx'
import { Failure } from './states.tsx'

/** Keeps an issue of one page from emptying the whole console: the menu stays, and leads to the other pages. */
export function PageBoundary({ children }: Readonly<{ children: ReactNode }>) {
  const [path] = useLocation()
  return <Boundary path={path}>{children}</Boundary>
}

type Properties = Readonly<{ path: string; children: ReactNode }>
type Caught = Readonly<{ error: Error | undefined }>

/** A class, as React lets nothing else catch what a page throws while it is drawn. */
class Boundary extends Component<Properties, Caught> {
  override state: Caught = { error: undefined }
  static getDerivedStateFromError(error: Error): Caught {
    return { error }
  }
  override componentDidUpdate(before: Properties) {
    if (before.path !== this.props.path && this.state.error !== undefined) this.setState({ error: undefined })
  }
  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <Page title="This page failed to load">
        <Failure error={error} retry={() => location.reload()} />
        <p>This is a bug in the console. Other pages still work.</p>
      </Page>
    )
  }
}
