/**
 * Runs a job again and again, the first time after `pauseMs`, then that long after each end. `onError` gets the first error of a row.
 * Does not keep the process alive. Answers how to stop, which waits for a run under way.
 */
export function repeat(
  job: () => Promise<void>,
  pauseMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = false
  let failing = false
  const run = async () => {
    try {
      await job()
      failing = false
    } catch (error) {
      if (!failing) onError(error)
      failing = true
    }
    if (!stopped) schedule()
  }
  const schedule = () => {
    timer = setTimeout(() => {
      running = run()
    }, pauseMs).unref()
  }
  schedule()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
