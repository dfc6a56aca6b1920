import { agoText, browserTimeText, timestampText, timestampWithOffset } from '../moments.ts'
import { useZone } from '../zone.ts'

/** A moment in the program's time zone; the tooltip has this browser's own time where that differs, after `more`. */
export function Moment({ at, more }: Readonly<{ at: string; more?: string }>) {
  const zone = useZone()
  return <time {...titled(more, browserTimeText(at, zone))}>{timestampText(at, zone)}</time>
}

/** How long ago it was, or `text` instead; the tooltip has the moment in the program's time zone, and in this browser's where that differs. */
export function Ago({ at, nowMs, text }: Readonly<{ at: string; nowMs?: number; text?: string }>) {
  const zone = useZone()
  return <time {...titled(timestampText(at, zone), browserTimeText(at, zone))}>{text ?? agoText(at, nowMs)}</time>
}

/** For dialogs: a moment in the time zone of the program, and in this browser's where its clock shows something else. */
export function BothClocks({ at }: Readonly<{ at: string }>) {
  const zone = useZone()
  const inBrowser = browserTimeText(at, zone)
  return (
    <>
      <strong>{timestampWithOffset(at, zone)}</strong> in {zone}
      {inBrowser !== undefined && ` (${inBrowser})`}
    </>
  )
}

const QUALITY_WORDS = {
  exact: '',
  swept: ', last count',
  sampled: ', from a sample',
  counted: ', counted in memory',
} as const

/** When a figure is true (RFC 3339) and how it was found, in a response of the moment `of`. */
export type Provenance = Readonly<{ at: string; quality: keyof typeof QUALITY_WORDS; of: string }>

/** What a figure says of itself, in a response of the moment `of`; undefined if an earlier service says nothing. */
export function toProvenance(
  { as_of: at, quality }: Readonly<{ as_of?: string; quality?: Provenance['quality'] }>,
  of: string | undefined = at,
): Provenance | undefined {
  return at === undefined || quality === undefined || of === undefined ? undefined : { at, quality, of }
}

export function AsOf({ at, quality, of }: Provenance) {
  return (
    <>
      as of {at === of ? 'now' : <Ago at={at} nowMs={Date.parse(of)} />}
      {QUALITY_WORDS[quality]}
    </>
  )
}

function titled(...texts: readonly (string | undefined)[]) {
  const title = texts.filter((text) => text !== undefined && text !== '').join('; ')
  return title === '' ? {} : { title }
}
