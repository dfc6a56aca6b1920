const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const

/** Parses a duration such as `90m`, `24h`, `30d` or `2w` to milliseconds; undefined for anything else. */
export function readDurationMs(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,3})([mhdw])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
}
