import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { approximately, grouped, isZero, negated, short, signed, sumOf } from '../exact.ts'
import { useWidth } from './chart-frame.tsx'
import { AsOf, type Provenance } from './moment.tsx'
import { Defined } from './pop.tsx'
import { Skeleton } from './states.tsx'

export type Figure = Readonly<{
  name: string
  /** What exactly is counted. */
  definition: ReactNode
  /** Exact, as a string; undefined: not known yet. */
  value: string | undefined
  unit?: string
  /** What it is compared with. */
  before?: string | undefined
  /** Shown below the value instead of the comparison. */
  note?: ReactNode
  /** Percentages are compared as they are, not by their change in percent; `signed` has a plus above 0. */
  kind?: 'percent' | 'signed' | 'text'
  /** Shown with the definition; below the value, too, if only a part of what it counts was examined. */
  provenance?: Provenance | undefined
  /** Called when the figure is clicked, to show it by day below. */
  onChoose?: () => void
  isChosen?: boolean
}>

/** Numbers first: the few that answer the questions of a page. */
export function Figures({ figures, isStale }: Readonly<{ figures: readonly Figure[]; isStale?: boolean }>) {
  return (
    <div className={`figures ${isStale ? 'stale' : ''}`}>
      <dl>
        {figures.map((figure) => (
          <OneFigure key={figure.name} {...figure} />
        ))}
      </dl>
    </div>
  )
}

function OneFigure({ name, definition, value, unit, before, note, kind, provenance, onChoose, isChosen }: Figure) {
  const [host, width] = useWidth<HTMLDivElement>()
  const shown =
    value === undefined ? (
      <Skeleton width="6rem" />
    ) : (
      <>
        {kind === 'text' ? (
          value
        ) : isExact(value) ? (
          <Fitting full={kind === 'signed' ? signed(value) : grouped(value)} brief={short(value)} width={width} />
        ) : (
          value
        )}
        {kind === 'percent' ? <small> %</small> : unit !== undefined && <small> {unit}</small>}
      </>
    )
  return (
    <div className={`figure ${isChosen ? 'chosen' : ''}`} ref={host}>
      <dt>
        <Defined name={name}>
          {definition}
          {provenance !== undefined && (
            <>
              {' '}
              This figure is <AsOf {...provenance} />.
            </>
          )}
        </Defined>
      </dt>
      <dd className={kind === 'text' ? 'text' : ''}>
        {onChoose === undefined ? (
          shown
        ) : (
          <button type="button" className="choose" aria-pressed={isChosen} onClick={onChoose}>
            {shown}
            <span className="hidden">: show {name} by day</span>
          </button>
        )}
      </dd>
      <dd className="delta">
        {note ?? (value === undefined ? '' : deltaOf(value, before, kind))}
        {provenance?.quality === 'sampled' && ' (from a sample)'}
      </dd>
    </div>
  )
}

/** A number, not the dash of an unknown one. */
function isExact(value: string): boolean {
  return /^-?\d/.test(value)
}

/** A number on one line: in full, or where `width` has no room for that, in brief with the full one in the tooltip and for screen readers. */
function Fitting({ full, brief, width }: Readonly<{ full: string; brief: string; width: number }>) {
  const measured = useRef<HTMLSpanElement>(null)
  const [isTooWide, setTooWide] = useState(false)
  useLayoutEffect(() => setTooWide(width > 0 && measured.current!.offsetWidth > width), [full, width])
  return (
    <span className="fitting">
      <span className="measured" aria-hidden="true" data-text={full} ref={measured} />
      {isTooWide ? (
        <span title={full}>
          <span aria-hidden="true">{brief}</span>
          <span className="hidden">{full}</span>
        </span>
      ) : (
        full
      )}
    </span>
  )
}

function deltaOf(value: string, before: string | undefined, kind: Figure['kind']): string {
  if (before === undefined) return ''
  if (kind === 'text') return ''
  if (isZero(sumOf([value, negated(before)]))) return 'as before'
  if (kind === 'percent') return `from ${before} %`
  const base = approximately(before)
  if (base === 0) return 'none before'
  const change = ((approximately(value) - base) / Math.abs(base)) * 100
  const text = Math.abs(change) < 10 ? change.toFixed(1) : change.toFixed(0)
  return `${change > 0 ? '+' : ''}${text.replace('-', '−')} % from ${grouped(before)}`
}

/** A share as a percentage with one decimal, rounded. */
export function percentOf(part: number, all: number): string {
  return all === 0 ? '0' : ((part / all) * 100).toFixed(1).replace(/\.0$/, '')
}
