import { useRef, useState } from 'react'

/** A change that a person makes: whether it is in progress, and why it failed. `run` starts it unless it is in progress, `clear` forgets the failure. */
export function useRequest() {
  const [failure, setFailure] = useState<Error>()
  const [busy, setBusy] = useState(false)
  // A second click may come before the first one has been drawn.
  const isUnderWay = useRef(false)
  const clear = () => setFailure(undefined)
  const run = async (act: () => Promise<unknown>) => {
    if (isUnderWay.current) return
    isUnderWay.current = true
    setBusy(true)
    clear()
    try {
      await act()
    } catch (error) {
      setFailure(error as Error)
    } finally {
      isUnderWay.current = false
      setBusy(false)
    }
  }
  return { run, busy, failure, clear }
}
