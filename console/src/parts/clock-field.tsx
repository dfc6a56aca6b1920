import { instantsOnClock, timestampWithOffset } from '../moments.ts'
import { useZone } from '../zone.ts'

/** A day and a time on the clock of the program's zone, like "2026-05-05T14:03"; `empty` says what none means, `issue` what the service says of it. */
export function ClockField({
  label,
  value,
  onChange,
  empty,
  issue,
}: Readonly<{
  label: string
  value: string
  onChange: (value: string) => void
  empty: string
  issue?: string | undefined
}>) {
  const zone = useZone()
  const instants = value === '' ? [] : instantsOnClock(value, zone)
  const [first, again] = instants ?? []
  return (
    <label className="field narrow">
      <span>{label}</span>
      <input
        type="datetime-local"
        max="9999-12-31T23:59"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {instants === undefined ? (
        <span className="bad">Invalid date: use a four-digit year.</span>
      ) : value !== '' && first === undefined ? (
        <span className="bad">This time does not exist in {zone}: clocks go forward over it.</span>
      ) : issue !== undefined ? (
        <span className="fault">{issue}</span>
      ) : again !== undefined ? (
        <span className="warn">
          This time occurs twice in {zone}, as clocks go back. The first is used: {timestampWithOffset(first!, zone)}.
        </span>
      ) : (
        <span className="hint">
          In the time zone of the program, {zone}; default: {empty}.
        </span>
      )}
    </label>
  )
}
