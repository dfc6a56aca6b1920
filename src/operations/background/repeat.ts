/**
 * Runs work again and again, the first time after `firstMs`, then `pauseMs` after each end. `onError` gets the first error of a series of failures.
 * Does not keep the process alive. Answers how to stop, which waits for a run under way.
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
