import { type FormEvent, useState } from 'react'
import { calendarDay, countDays, monthName, monthsUntil } from '../calendar-days.ts'
import { today } from '../moments.ts'
import { DAYS_MAX, SPANS, type Span } from '../url-state.ts'
import { useZone } from '../zone.ts'
import { Icon } from './icon.tsx'
import { closePop, Pop } from './pop.tsx'

const MONTHS = 6

/** Which days a page shows, and whether it compares them with those before. */
export function SpanPicker({ span, compares = true }: Readonly<{ span: Span; compares?: boolean }>) {
  const [issue, setIssue] = useState('')
  const zone = useZone()
  const choose = (key: string) => ({
    type: 'button' as const,
    className: 'choice',
    'aria-pressed': span.key === key,
    onClick: (event: { currentTarget: Element }) => {
      span.set(key)
      closePop(event.currentTarget)
    },
  })
  const chooseDays = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [from, to] = ['from', 'to'].map((end) => calendarDay(String(form.get(end))))
    if (from === undefined || to === undefined) return setIssue('Invalid date: use a four-digit year.')
    if (from > to) return setIssue('From must not be after To.')
    if (countDays({ from, to }) > DAYS_MAX) return setIssue(`At most ${DAYS_MAX} days.`)
    setIssue('')
    span.set(`${from}..${to}`)
    closePop(event.currentTarget)
  }
  return (
    <>
      <Pop
        kind="list"
        label={
          <>
            <Icon name="calendar" /> {span.name} <Icon name="down" />
          </>
        }
      >
        {Object.entries(SPANS).map(([key, name]) => (
          <button key={key} {...choose(key)}>
            {name}
          </button>
        ))}
        <hr />
        {monthsUntil(today(zone), MONTHS).map((month) => (
          <button key={month} {...choose(month)}>
            {monthName(month)}
          </button>
        ))}
        <hr />
        <form className="field" onSubmit={chooseDays}>
          <label className="field">
            <span>From</span>
            <input type="date" name="from" defaultValue={span.from} required />
          </label>
          <label className="field">
            <span>To</span>
            <input type="date" name="to" defaultValue={span.to} required />
          </label>
          {issue !== '' && (
            <span className="fault" role="alert">
              {issue}
            </span>
          )}
          <button type="submit" className="button">
            Show this period
          </button>
        </form>
      </Pop>
      {compares && (
        <label className="check">
          <input
            type="checkbox"
            checked={span.isCompared}
            onChange={(event) => span.setCompared(event.target.checked)}
          />
          compare
        </label>
      )}
    </>
  )
}
