/*
 * Loaded first by every process of tests: ends it if it hangs. The runner can only send SIGTERM, which code under test may handle.
 */

/** On a busy machine, the files of the slowest process take 5 minutes. */
const LIMIT_MIN = 20

setTimeout(() => {
  console.error(
    `This process of tests is ended after ${LIMIT_MIN} minutes. Still open: ${process.getActiveResourcesInfo().join(', ')}`,
  )
  process.exit(1)
}, LIMIT_MIN * 60_000).unref()
