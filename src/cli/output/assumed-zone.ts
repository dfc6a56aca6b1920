import { UTC } from '../../engine/points/local-time.ts'

/**
 * Says in which zone times that name none were read; undefined if that is known. `zoneOption` is that of the option, `ofProgram` that of the program in effect, where it is known:
 * the option for it is named if it is another, unless it is UTC, which programs without a zone have.
 */
export function assumedZoneText(zoneOption: string | undefined, ofProgram: string | undefined): string | undefined {
  const zone = zoneOption ?? UTC
  const opening = `times without a time zone are read in ${zone}`
  if (ofProgram !== undefined && !isSameZone(ofProgram, UTC) && !isSameZone(ofProgram, zone))
    return `${opening}, and the program is in ${ofProgram}: if the times are, too, ${zoneOption === undefined ? 'add' : 'write'} --time-zone ${ofProgram}`
  return zoneOption === undefined ? `${opening}; --time-zone names another` : undefined
}

/** Whether two names mean one zone, as GB and Europe/London do. */
function isSameZone(one: string, other: string): boolean {
  return new Temporal.ZonedDateTime(0n, one).equals(new Temporal.ZonedDateTime(0n, other))
}
