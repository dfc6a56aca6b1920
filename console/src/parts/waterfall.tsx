import type { RouteResponse } from '../../../src/server/responses.ts'
import { approximately, grouped, isZero, rounded, signed, sumOf } from '../exact.ts'
import { NOTHING_WORDS } from '../words.ts'

export type Explanation = NonNullable<RouteResponse<'POST /api/predictions/orders'>['explanation']>

/** How an order came to its points, rule by rule, each step beginning where the one before ended. */
export function Waterfall({ explanation, points }: Readonly<{ explanation: Explanation; points: string | number }>) {
  const { earned, rounding, not_applied, nothing, notes, program, level } = explanation
  const steps = [
    ...earned.map(({ rule, points, because }) => ({ name: rule, points, because: becauseText(because) })),
    ...(isZero(rounding) ? [] : [{ name: 'rounding', points: rounding, because: 'once, for the whole order' }]),
  ]
  const ends = steps.map((_, index) => sumOf(steps.slice(0, index + 1).map(({ points }) => points)))
  const most = Math.max(1, ...ends.map(approximately))
  return (
    <div className="waterfall">
      {/* biome-ignore lint/a11y/useSemanticElements: a page may have several, and none is a landmark */}
      <div
        className="table"
        role="group"
        aria-label="Points breakdown"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        tabIndex={0}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">
                <span className="hidden">Step</span>
              </th>
              <th scope="col" className="right">
                Points
              </th>
            </tr>
          </thead>
          <tbody>
            {steps.map(({ name, points, because }, index) => (
              <tr key={name}>
                <th scope="row" className="wrap">
                  {name} <span className="small">{because}</span>
                </th>
                <td>
                  <Step from={approximately(ends[index - 1] ?? '0')} to={approximately(ends[index]!)} most={most} />
                </td>
                <td className="right" title={points}>
                  {signed(rounded(points))}
                </td>
              </tr>
            ))}
            {not_applied.map(({ rule, why }) => (
              <tr key={rule} className="none">
                <th scope="row" className="wrap">
                  {rule} <span className="small">{why}</span>
                </th>
                <td />
                <td className="right">–</td>
              </tr>
            ))}
            <tr className="sum">
              <th scope="row" className="wrap">
                In all{' '}
                <span className="small">
                  {program.name}
                  {program.version > 0 && `, version ${program.version}`}
                  {nothing !== undefined && `; zero points: ${NOTHING_WORDS[nothing] ?? nothing}`}
                </span>
              </th>
              <td />
              <td className="right">{grouped(points)}</td>
            </tr>
          </tbody>
        </table>
      </div>
      <p className="small">
        Level {level.before === level.after ? `stays ${level.after}` : `from ${level.before} to ${level.after}`}
        {level.next === null ? ', the highest' : `, ${grouped(level.next.missing)} to ${level.next.name}`}.
      </p>
      {explanation.without_lines !== undefined && explanation.without_lines.length > 0 && (
        <p className="small">
          {explanation.without_lines
            .map(({ line, points }) => `Without line ${line + 1}: ${grouped(points)} points`)
            .join('; ')}
          .
        </p>
      )}
      {notes.length > 0 && (
        <ul className="small">
          {notes.map(({ kind, text, line }) => (
            <li key={`${kind} ${line ?? ''} ${text}`}>Note: {text}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Step({ from, to, most }: Readonly<{ from: number; to: number; most: number }>) {
  const [left, right] = [Math.max(0, Math.min(from, to)), Math.max(0, from, to)]
  return (
    <span className="step" aria-hidden="true">
      <span
        className={to < from ? 'less' : ''}
        style={{ left: `${(left / most) * 100}%`, width: `${((right - left) / most) * 100}%` }}
      />
    </span>
  )
}

function becauseText(because: Readonly<Record<string, string>>): string {
  return Object.entries(because)
    .map(([name, value]) => `${name} ${grouped(value)}`)
    .join(', ')
}
