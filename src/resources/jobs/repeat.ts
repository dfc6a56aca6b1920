/**
 * Runs work repeatedly: first after `firstMs`, then `pauseMs` after the end of each run. `onError` gets the first error of consecutive failures.
 * Does not keep the process alive. Returns a function that stops it and waits for a run in progress.
 */
export function repeat(
  work: () => Promise<void>,
  pauseMs: number,
  onError: (error: unknown) => void,
  firstMs = pauseMs,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = false
  let failing = false
  const run = async () => {
    try {
      await work()
      failing = false
    } catch (error) {
      if (!failing) onError(error)
      failing = true
    }
    if (!stopped) schedule(pauseMs)
  }
  const schedule = (afterMs: number) => {
    timer = setTimeout(() => {
      running = run()
    }, afterMs).unref()
  }
  schedule(firstMs)
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
