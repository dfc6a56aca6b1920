import { useState } from 'react'
import type { RouteName } from '../../../src/server/responses.ts'
import { type ApiRequest, curlOf } from '../api.ts'
import { Icon } from './icon.tsx'
import { Pop } from './pop.tsx'

const SHOWN_MS = 2_000

/** Copies a text, and says that it has. */
export function CopyButton({ text, name = 'Copy' }: Readonly<{ text: string; name?: string }>) {
  const [status, setStatus] = useState('')
  const copy = async () => {
    const done = await navigator.clipboard.writeText(text).then(
      () => 'Copied',
      () => 'Copy failed: select and copy it',
    )
    setStatus(done)
    setTimeout(() => setStatus(''), SHOWN_MS)
  }
  return (
    <button type="button" className="button" onClick={copy}>
      <Icon name={status === 'Copied' ? 'check' : 'copy'} />
      <span aria-live="polite">{status || name}</span>
    </button>
  )
}

export type CurlRequest = Readonly<{ name: RouteName; request?: ApiRequest | undefined }>

/** The requests behind what is shown, as commands. */
export function AsCurl({ requests }: Readonly<{ requests: readonly CurlRequest[] }>) {
  const text = requests.map(({ name, request = {} }) => curlOf(name, request)).join('\n\n')
  return (
    <Pop
      kind="wide"
      className="button plain"
      label={
        <>
          <Icon name="terminal" /> as curl
        </>
      }
    >
      <div className="field">
        <p>
          The same from a shell, with a token in <code>$TOKEN</code>:
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
        <pre className="code wrap" tabIndex={0}>
          {text}
        </pre>
        <CopyButton text={text} />
      </div>
    </Pop>
  )
}
