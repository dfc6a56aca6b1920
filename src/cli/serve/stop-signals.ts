/** Calls `stop` on the first signal to end, `endAtOnce` on the second: whoever sends another one does not want to wait. */
export function onStopSignals(stop: (signal: string) => void, endAtOnce: () => void): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) endAtOnce()
      stopping = true
      stop(signal)
    })
  }
}
