import { findNearestName } from './column-suggestions.ts'

/** What other programs call a zone that the IANA database names after a city. */
const USUAL_ZONES: Readonly<Record<string, string>> = {
  'Eastern Time': 'America/New_York',
  'Central Time': 'America/Chicago',
  'Mountain Time': 'America/Denver',
  'Pacific Time': 'America/Los_Angeles',
  'Central European Time': 'Europe/Berlin',
  'India Standard Time': 'Asia/Kolkata',
}

/** A hint at the zone that a name most likely means: misspelled, a city alone, or as other programs call it; empty if there is none. */
export function nearestZoneHint(name: string): string {
  const zones = Intl.supportedValuesOf('timeZone')
  const cities = zones.map((zone) => [zone.replace(/^.*\//, ''), zone] as const)
  const zonesByName = new Map([
    ...cities,
    ...zones.map((zone) => [zone, zone] as const),
    ...Object.entries(USUAL_ZONES),
  ])
  // As in "(GMT-05:00) Eastern Time (US & Canada)".
  const bare = name.replace(/\([^)]*\)/g, '')
  const nearest = findNearestName(bare, [...zonesByName.keys()])
  return nearest === undefined ? '' : `; did you mean ${zonesByName.get(nearest)}?`
}
