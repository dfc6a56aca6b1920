import { AMOUNT_SCALE, amountText } from '../../engine/points/arithmetic.ts'
import { explanationOf } from '../../engine/points/explanation.ts'
import { kindOfRefusal } from '../../engine/whatif/cases.ts'
import { PROBE_KINDS } from '../../engine/whatif/probe/index.ts'
import type { Duration, ReplayStep } from '../../engine/whatif/replay.ts'
import type { ReplayedFinding } from '../../resources/program-checks/probe-document.ts'
import { redemptionText } from '../../resources/program-checks/step-text.ts'
import { escapeControls } from '../../text.ts'
import { coloured } from './print.ts'

/** What a probe found in a program file, for people at a terminal; `notes` are worth knowing, but not findings. */
export function probeText(
  file: string,
  seed: number,
  replayed: readonly ReplayedFinding[],
  notes: readonly string[],
): string {
  const kinds = PROBE_KINDS.map((kind) => replayed.find(({ finding }) => finding.kind === kind) ?? kind)
  const none = kinds.filter((one) => typeof one === 'string')
  const lines = [
    `${escapeControls(file)}: seed ${seed}`,
    ...kinds.flatMap((one) =>
      typeof one === 'string'
        ? []
        : [
            '',
            `${coloured('red', 'FOUND')}  ${one.finding.kind}: ${escapeControls(one.finding.title)}`,
            ...formatFinding(one, file),
          ],
    ),
    '',
    ...(none.length === 0 ? [] : [`${coloured('green', 'none')}   ${none.join(', ')}`]),
    ...(notes.length === 0 ? [] : ['', 'worth knowing', ...notes.map((note) => escapeControls(`  ${note}`))]),
  ]
  return `${lines.join('\n')}\n`
}

function formatFinding({ finding, replay }: ReplayedFinding, file: string): string[] {
  const { promise, because, world, histories } = finding
  const players = world.players
    .filter(({ points }) => points > 0n)
    .map(({ userId, points }) => `${userId} has ${points} points before`)
  return [
    ...because.map((line) => `  ${line}`),
    ...players.map((line) => `  ${line}`),
    ...histories.flatMap(({ name, steps }) => [`    ${name}`, ...collapseRepeats(steps.map(lineOfStep))]),
    `  a sound program: ${promise}`,
    `  replay it: npx --no laurel program check ${file} --cases ${replay}`,
  ].map(escapeControls)
}

/** Merges consecutive equal lines. */
function collapseRepeats(lines: readonly string[]): string[] {
  const runs: { line: string; times: number }[] = []
  for (const line of lines) {
    const last = runs.at(-1)
    if (last?.line === line) last.times += 1
    else runs.push({ line, times: 1 })
  }
  return runs.map(({ line, times }) => `      ${times === 1 ? '' : `${times} times: `}${line}`)
}

/** `14 days later: shopper: ...`, and what can be spent if that is not simply the balance. */
function lineOfStep(step: ReplayStep): string {
  const later = step.wait === undefined ? '' : `${waitWords(step.wait)} later: `
  const { balance, available, pending, held } = step
  const summary = [
    `${available} to spend`,
    ...(pending === 0n ? [] : [`${pending} pending`]),
    ...(held === 0n ? [] : [`${held} held`]),
  ]
  const isPlain = available === balance && held === 0n && !isSpending(step)
  return `${later}${'order' in step ? lineOfOrder(step) : lineOfRedemption(step)}${isPlain ? '' : `; ${summary.join(', ')}`}`
}

function isSpending(step: ReplayStep): boolean {
  return !('order' in step) || (step.order.pointsRedeemed ?? 0n) > 0n
}

function lineOfRedemption(step: Extract<ReplayStep, { redeem: unknown }>): string {
  const { act, id } = step.redeem
  const what = `${step.userId}: ${act} ${id}`
  return 'refused' in step
    ? `${what}: refused (${kindOfRefusal(step.refused)})`
    : `${what}: ${redemptionText(step.redemption)}`
}

/** `2 x TEA-1 for 90, less 10; 80 to pay: 18 points (base 8, tea 10)` */
function lineOfOrder(step: Extract<ReplayStep, { order: unknown }>): string {
  const { lines, total, discount, status, subscriptPoints, referralCode, userId, at, pointsRedeemed = 0n } = step.order
  const goods = lines.map(
    ({ sku, qty, amount = 0n }) =>
      `${qty === AMOUNT_SCALE ? '' : `${amountText(qty)} x `}${sku ?? 'goods'} ${amount === 0n ? 'for nothing' : `for ${amountText(amount)}`}`,
  )
  const paid = total > discount ? total - discount : 0n
  const facts = [
    goods.join(' and '),
    ...(discount > 0n ? [`${amountText(discount)} off`] : []),
    ...(subscriptPoints ? ['subscript_points'] : []),
    ...(referralCode === '' ? [] : [`code ${referralCode}`]),
    ...(at === undefined ? [] : [`at ${at}`]),
    ...(pointsRedeemed === 0n ? [] : [`${pointsRedeemed} points redeemed`]),
  ]
  const what = `${userId}: ${facts.join(', ')}; ${amountText(paid)} to pay${status === 'placed' ? '' : `, ${status}`}`
  if ('refused' in step) return `${what}: refused (${kindOfRefusal(step.refused)})`
  const { earned, rounding, level } = explanationOf(step.prediction)
  const rules = [
    ...earned.map(({ rule, points }) => `${rule} ${points}`),
    ...(rounding === '0' ? [] : [`rounding ${rounding}`]),
  ]
  const reached = level.before === level.after ? level.after : `${level.before} to ${level.after}`
  return `${what}: ${step.prediction.points} points${rules.length === 0 ? '' : ` (${rules.join(', ')})`}, ${reached}`
}

function waitWords(wait: Duration): string {
  const [count, unit] =
    'minutes' in wait ? [wait.minutes, 'minute'] : 'days' in wait ? [wait.days, 'day'] : [wait.months, 'month']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
