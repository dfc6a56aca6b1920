export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const
export const LOG_FORMATS = ['auto', 'json', 'pretty'] as const

export type LogSettings = Readonly<{
  level: (typeof LOG_LEVELS)[number]
  format: (typeof LOG_FORMATS)[number]
  /** The number of this worker process; included in every line. */
  worker?: number | undefined
}>
