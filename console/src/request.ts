import { useState } from 'react'

/** A change that a person makes: whether it is in progress, and why it failed. `run` starts it, `clear` forgets the failure. */
export function useRequest() {
  const [failure, setFailure] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const clear = () => setFailure(undefined)
  const run = async (act: () => Promise<unknown>) => {
    setBusy(true)
    clear()
    try {
      await act()
    } catch (error) {
      setFailure(error as Error)
    } finally {
      setBusy(false)
    }
  }
  return { run, busy, failure, clear }
}
