/** What to do when somebody asks this process to end: `stop` at the first signal, `endAtOnce` at the second, for that one means it. */
export function onStopSignals(stop: (signal: string) => void, endAtOnce: () => void): void {
  let asked = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (asked) endAtOnce()
      asked = true
      stop(signal)
    })
  }
}
