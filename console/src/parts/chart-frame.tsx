import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'

/** Which of `count` items of a chart is being read: by arrow keys, or under the pointer. */
export function useReading(count: number) {
  const [at, setAt] = useState<number>()
  const go = (index: number) => setAt(Math.max(0, Math.min(count - 1, index)))
  const leave = () => setAt(undefined)
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return leave()
    const next = { ArrowRight: (at ?? -1) + 1, ArrowLeft: (at ?? count) - 1, Home: 0, End: count - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    go(next)
  }
  return { at, go, leave, onKey }
}

/** The width of an element, tracked as it changes: charts are redrawn, never scaled. */
export function useWidth<Host extends HTMLElement = HTMLElement>() {
  const host = useRef<Host>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (host.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(host.current)
    return () => observer.disconnect()
  }, [])
  return [host, width] as const
}

/** A chart with the same numbers in a table below. `indexAt` gives the item at a distance from the left; `announcement` is the current item for screen readers. */
export function ChartFrame({
  host,
  width,
  height,
  label,
  isStale,
  reading: { go, leave, onKey },
  indexAt,
  announcement,
  tip,
  table,
  children,
}: Readonly<{
  host: RefObject<HTMLElement | null>
  width: number
  height: number
  label: string
  isStale: boolean | undefined
  reading: ReturnType<typeof useReading>
  indexAt: (px: number) => number
  announcement: string
  tip: ReactNode
  table: ReactNode
  children: ReactNode
}>) {
  const onPoint = (event: PointerEvent<SVGSVGElement>) => go(indexAt(event.nativeEvent.offsetX))
  return (
    <figure className={`chart ${isStale ? 'stale' : ''}`} ref={host}>
      {/* biome-ignore lint/a11y/useSemanticElements: a chart is no fieldset */}
      <div
        role="group"
        aria-roledescription="chart"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read the values
        tabIndex={0}
        onKeyDown={onKey}
        onBlur={leave}
        className="plot"
        style={{ height }}
      >
        {width > 0 && (
          <svg
            width={width}
            height={height}
            aria-hidden="true"
            focusable="false"
            onPointerMove={onPoint}
            onPointerLeave={leave}
          >
            {children}
          </svg>
        )}
        <output className="hidden">{announcement}</output>
        {tip}
      </div>
      <details className="astable">
        <summary>As a table</summary>
        {table}
      </details>
    </figure>
  )
}
