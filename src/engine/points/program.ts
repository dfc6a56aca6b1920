import type { Static } from 'typebox'
import { nearestName } from '../../text.ts'
import { ATTRIBUTE_NAMES, type AttributeType, type AttributeTypes, isAttributeName } from './attributes.ts'
import { type KnownNames, readCondition, withEnvironment } from './condition.ts'
import { isCurrency, RATE_DIGITS } from './currency.ts'
import { finish, type InParts } from './in-parts.ts'
import type { Issue, ReportIssue } from './issue.ts'
import { isTimeZone, UTC } from './local-time.ts'
import { ENGLISH, PLACEHOLDERS } from './message.ts'
import { ORDER_LINES_MAX } from './model.ts'
import { readPointRules, type WrittenPointRules } from './pending-and-expiry.ts'
import type { Level, LevelCounts, Messages, Program, Referral } from './program-model.ts'
import { CURRENCY_CODE, oneKind, type programSchema } from './program-schema.ts'
import { ISSUES_MAX, joined, shapeCheck, shapeIssues } from './program-shape.ts'
import { readRedeemRules } from './redeem-rules.ts'
import { REFERRAL } from './referral.ts'
import { readRuleSchedule } from './rule-schedule.ts'
import { RULE_KINDS, type Rule, type RuleTerms } from './rules/index.ts'
import { type RuleReading, readAmount } from './rules/rule-kind.ts'
import type { Amount } from './units.ts'

/**
 * Reads an unknown value (parsed YAML or JSON) as a program, or lists its issues at once, each with its path: where its shape is wrong, all issues of
 * its shape and of its rules, else all there are. An issue that only follows from another is not one. At most 2,000; never a partial program.
 * Source: docs/programs.md.
 */
export function readProgram(value: unknown): ProgramReading {
  return finish(readProgramInParts(value))
}

/** A program, or its issues. */
export type ProgramReading = { program: Program } | { issues: readonly Issue[] }

/** The same in parts, one for each rule, which takes a millisecond at most. */
export function* readProgramInParts(value: unknown): InParts<ProgramReading> {
  if (!shapeCheck.Check(value)) {
    const { issues, inDoubt } = shapeIssues(value)
    return { issues: [...issues, ...issuesOfRules(value, inDoubt)].slice(0, ISSUES_MAX) }
  }
  const issues = textIssues(value)
  const ladder = readLadder(value.levels.ladder, issues)
  const attributes = readAttributes(value.attributes, issuesAt('attributes', issues))
  const known = withEnvironment({ levels: new Set(ladder.map(({ name }) => name)), ...attributes })
  const money = readMoney(value.money ?? {}, issuesAt('money', issues))
  const program: Program = {
    name: value.name,
    timeZone: readTimeZone(value['time-zone'], issues),
    money,
    ...attributes,
    ...(value.statistics === undefined
      ? {}
      : { statistics: readStatistics(value.statistics, attributes, issuesAt('statistics', issues)) }),
    rounding: value.rounding,
    levels: { counts: readCounts(value.levels.counts), ladder },
    earn: yield* readRules(value.earn, value.earn, known, issues),
    ...(value.referral === undefined ? {} : { referral: readReferral(value.referral) }),
    ...(value.points === undefined ? {} : { points: readPointRules(value.points, issuesAt('points', issues)) }),
    ...(value.redeem === undefined
      ? {}
      : { redeem: readRedeemRules(value.redeem, { ...money, ...known }, issuesAt('redeem', issues)) }),
    messages: readMessages(value.messages ?? {}, value, issues),
  }
  issues.push(...repeatedNames(ladder, 'levels.ladder'))
  issues.push(...repeatedNames(value.redeem?.rewards ?? [], 'redeem.rewards'))
  return issues.length > 0 ? { issues: issues.slice(0, ISSUES_MAX) } : { program }
}

type Parsed<Key extends 'messages' | 'earn' | 'referral' | 'levels' | 'money' | 'attributes' | 'statistics'> =
  NonNullable<Static<typeof programSchema>[Key]>
type ParsedRule = Parsed<'earn'>[number]

function readTimeZone(zone: string | undefined, issues: Issue[]): string {
  if (zone === undefined) return UTC
  if (!isTimeZone(zone)) {
    const near = nearestName(zone, Intl.supportedValuesOf('timeZone'))
    const hint = near === undefined ? 'expected one like Europe/London' : `did you mean ${near}?`
    issues.push({ path: 'time-zone', error: `unknown time zone "${zone}", ${hint}` })
  }
  return zone
}

function readMoney({ decimals = 0, currency, rates }: Parsed<'money'>, issue: ReportIssue): Program['money'] {
  if (currency !== undefined && !isCurrency(currency)) issue('.currency', `expected ${CURRENCY_CODE}`)
  if (rates !== undefined && currency === undefined) issue('.rates', 'requires currency')
  for (const [code, rate] of Object.entries(rates ?? {})) {
    if (code === currency || !isCurrency(code))
      issue(`.rates.${code}`, `expected ${code === currency ? 'another currency than money.currency' : CURRENCY_CODE}`)
    else if (!/[1-9]/.test(rate)) issue(`.rates.${code}`, 'expected a rate greater than 0')
  }
  return {
    decimals,
    ...(currency === undefined ? {} : { currency }),
    ...(rates === undefined
      ? {}
      : { rates: new Map(Object.entries(rates).map(([code, rate]) => [code, rateOf(rate)])) }),
  }
}

/** A checked rate, in 1/100,000,000. */
function rateOf(text: string): bigint {
  const [whole, decimals = ''] = text.split('.')
  return BigInt(`${whole}${decimals.padEnd(RATE_DIGITS, '0')}`)
}

/** The issues of the rules in a program whose shape leaves some paths in doubt. */
function issuesOfRules(value: unknown, paths: ReadonlySet<string>): Issue[] {
  const sent = (value as { earn?: unknown } | null)?.earn
  const rules = withoutPaths(sent, paths, 'earn')
  if (!Array.isArray(rules)) return []
  const issues = textIssues(rules, 'earn')
  // The rules may lack parts, but whatever is said about these is left out.
  finish(readRules(rules, sent as typeof rules, namesIn(value, [...paths]), issues))
  return issues.filter(({ path }) => !paths.has(path))
}

/** A value without its parts at some paths; in a list undefined takes their place. */
function withoutPaths(value: unknown, paths: ReadonlySet<string>, path: string): unknown {
  if (paths.has(path)) return undefined
  if (typeof value !== 'object' || value === null) return value
  const inside = (inner: unknown, step: string) => withoutPaths(inner, paths, joined(path, step))
  if (Array.isArray(value)) return value.map((inner, index) => inside(inner, String(index)))
  return Object.fromEntries(
    Object.entries(value).flatMap(([step, inner]) => {
      const left = inside(inner, step)
      return left === undefined ? [] : [[step, left]]
    }),
  )
}

/** The names that conditions of a program may use, as far as they are not in doubt. */
function namesIn(value: unknown, inDoubt: readonly string[]): KnownNames {
  const isFaulty = inDoubt.some((path) => /^attributes($|\.)/.test(path))
  const written = isFaulty ? undefined : (value as { attributes?: Parsed<'attributes'> }).attributes
  return withEnvironment({ levels: levelsIn(value, inDoubt), ...readAttributes(written, () => undefined) })
}

function readAttributes(written: Parsed<'attributes'> | undefined, issue: ReportIssue): Pick<Program, 'attributes'> {
  if (written === undefined) return {}
  const typesOf = (kind: keyof AttributeTypes) => {
    const types = Object.entries(written[kind] ?? {})
    for (const [name] of types) if (!isAttributeName(name)) issue(`.${kind}`, `expected ${ATTRIBUTE_NAMES}`)
    return new Map(types)
  }
  return { attributes: { product: typesOf('product'), order: typesOf('order'), player: typesOf('player') } }
}

function readStatistics(
  { by }: Parsed<'statistics'>,
  { attributes }: Pick<Program, 'attributes'>,
  issue: ReportIssue,
): NonNullable<Program['statistics']> {
  const types = new Map(attributes?.order)
  const error = issueOfCountedAttribute(by, types.get(by), [...types.keys()])
  if (error !== undefined) issue('.by', error)
  return { by }
}

function issueOfCountedAttribute(
  by: string,
  type: AttributeType | undefined,
  declared: readonly string[],
): string | undefined {
  if (type === 'text') return undefined
  if (type !== undefined) return `expected an attribute of type text, ${by} is ${type}`
  if (by.includes('.')) return `expected the name of an attribute alone: ${by.replace(/^.*\./, '')}`
  const near = nearestName(by, declared)
  if (near !== undefined) return `unknown attribute ${by}, did you mean ${near}?`
  const declare = 'declare it as text under attributes.order of the program'
  return `unknown attribute ${by}: ${declare}; declared are ${declared.join(', ') || 'none'}`
}

/** The level names of a program; undefined if they are in doubt. */
function levelsIn(value: unknown, inDoubt: readonly string[]): ReadonlySet<string> | undefined {
  if (inDoubt.some((path) => /^levels($|\.ladder)/.test(path))) return undefined
  const { ladder } = (value as { levels: Parsed<'levels'> }).levels
  return new Set(ladder.map(({ name }) => name))
}

const RULE_FIELDS: readonly string[] = ['name', 'when', 'during', 'least', ...RULE_KINDS.map(({ kind }) => kind)]

/** Reads rules. `sent` is what they were before parts of a wrong shape were taken out. */
function* readRules(
  parsed: readonly (ParsedRule | undefined)[],
  sent: readonly (object | undefined)[],
  known: KnownNames,
  issues: Issue[],
): InParts<Rule[]> {
  const names = parsed.map((rule) => rule?.name)
  const rules: Rule[] = []
  for (const [index, rule] of parsed.entries()) {
    yield
    if (rule === undefined) continue
    const path = `earn[${index}]`
    if (rule.name === REFERRAL)
      issues.push({ path: `${path}.name`, error: `expected another name: ${REFERRAL} is reserved for referrals` })
    const when = rule.when === undefined ? undefined : readCondition(rule.when, known)
    if (when !== undefined && 'issues' in when)
      issues.push(...when.issues.map((one) => ({ path: `${path}.when`, ...one })))
    const condition = when !== undefined && 'condition' in when ? when.condition : undefined
    const selectsLines = when !== undefined && ('issues' in when ? when : when.condition).mentionsLine
    const during = readDuringOf(rule, sent[index]!, issuesAt(`${path}.during`, issues))
    const least = readLeast(rule.least, selectsLines, issuesAt(path, issues))
    const terms = readTerms(rule, sent[index]!, path, { selectsLines, earlier: names.slice(0, index) }, issues)
    if (terms === undefined) continue
    rules.push({
      ...terms,
      name: rule.name,
      ...(condition === undefined ? {} : { when: condition }),
      ...(during === undefined ? {} : { during }),
      ...(least === undefined ? {} : { least }),
    })
  }
  issues.push(...repeatedNames(parsed, 'earn'))
  return rules
}

/** Reads the minimum of the lines that a rule selects. */
function readLeast(raw: string | number | undefined, selectsLines: boolean, issue: ReportIssue): Amount | undefined {
  if (raw === undefined) return undefined
  if (!selectsLines)
    issue('.least', 'expected a condition on line beside it: for the whole order, write order.net in when')
  return readAmount('least', raw, { min: 1n }, { issue })
}

/** Reads the days and hours of a rule, unless all that they say was taken out. */
function readDuringOf({ during }: ParsedRule, sent: { during?: object }, issue: ReportIssue) {
  if (during === undefined) return undefined
  const isStripped = Object.keys(during).length < Object.keys(sent.during ?? {}).length
  return isStripped && Object.keys(during).length === 0 ? undefined : readRuleSchedule(during, issue)
}

/** The most steps that the conditions of a program may take for the longest order: about 0.6 s, or 3 s if they do nothing but divide and add. */
const STEPS_MAX = 25_000_000

/**
 * An issue at the costliest condition, if all conditions together take too many steps (docs/decisions/0117-program-limits.md). It prevents a
 * program from being published; versions published before this bound existed remain in effect.
 */
export function costIssue({ earn, redeem }: Program): Issue | undefined {
  const steps = [...earn, redeem].map((rule) => rule?.when?.steps ?? 0)
  const total = steps.reduce((sum, one) => sum + one, 0)
  if (total <= STEPS_MAX) return undefined
  const most = Math.max(...steps)
  const bound = `conditions of at most ${STEPS_MAX} steps in total for an order of ${ORDER_LINES_MAX} lines`
  const place = steps.indexOf(most)
  return {
    path: place < earn.length ? `earn[${place}].when` : 'redeem.when',
    error: `expected ${bound}: these take ${total}, this one ${most}`,
  }
}

function readTerms(
  rule: ParsedRule,
  sent: object,
  path: string,
  around: Omit<RuleReading, 'issue'>,
  issues: Issue[],
): RuleTerms | undefined {
  const kinds = RULE_KINDS.filter(({ kind }) => kind in sent)
  const isOne = kinds.length === 1
  // A field that is not known may be meant as the kind.
  const mayBeMisspelt = kinds.length === 0 && Object.keys(sent).some((field) => !RULE_FIELDS.includes(field))
  if (!isOne && !mayBeMisspelt) issues.push({ path, error: `expected ${oneKind}` })
  const [terms] = kinds
    .filter(({ kind }) => rule[kind] !== undefined)
    .map(({ kind, read }): RuleTerms => {
      const issue = issuesAt(`${path}.${kind}`, issues)
      // Which of several kinds has to go is not known, so none is held against the condition.
      const reading = { ...around, selectsLines: isOne && around.selectsLines, issue }
      // The types cannot relate these fields to this kind; the schema, built from the same list, guarantees it.
      return read(rule[kind] as never, reading)
    })
  return terms
}

/** Collects issues at fields below a path. */
function issuesAt(path: string, issues: Issue[]): ReportIssue {
  return (field, error, more) => {
    issues.push({ path: `${path}${field}`, error, ...more })
  }
}

function readLadder(levels: readonly { name: string; from: number }[], issues: Issue[]): Level[] {
  const ladder = levels.map(({ name, from }) => ({ name, from: BigInt(from) }))
  ladder.forEach(({ from }, index) => {
    const path = `levels.ladder[${index}].from`
    if (index === 0 && from !== 0n) issues.push({ path, error: 'the first level must start at 0' })
    if (index > 0 && from <= ladder[index - 1]!.from)
      issues.push({ path, error: 'expected more than the previous level' })
  })
  return ladder
}

function readCounts(counts: Parsed<'levels'>['counts']): LevelCounts {
  return counts === 'lifetime' ? counts : { windowMonths: Number(counts.window.slice(1, -1)) }
}

function readReferral({ friend, referrer, counts = true }: Parsed<'referral'>): Referral {
  return { friend: BigInt(friend), referrer: BigInt(referrer), counts }
}

function readMessages(messages: Parsed<'messages'>, sections: WrittenSections, issues: Issue[]): Messages {
  for (const [name, sentence] of Object.entries(messages)) {
    const named = (sentence.match(/\{[^{}]*\}/g) ?? []).map((one) => one.slice(1, -1))
    const error = named.map((one) => issueOfPlaceholder(one, sections)).find((one) => one !== undefined)
    if (error !== undefined) issues.push({ path: `messages.${name}`, error })
  }
  return { ...ENGLISH, ...messages }
}

type WrittenSections = Readonly<{ points?: WrittenPointRules; redeem?: object }>

/** What the program lacks for a placeholder. A message cannot name a day that is not yet known when the order is placed. */
function issueOfPlaceholder(name: string, { points, redeem }: WrittenSections): string | undefined {
  switch (name) {
    case 'points':
    case 'points_text':
    case 'level':
      return undefined
    case 'redeemed':
    case 'redeemed_text':
      return redeem === undefined ? `{${name}} requires redeem` : undefined
    case 'usable_on':
    case 'valid_until':
      if (points === undefined || (name === 'valid_until' && points.expire === undefined))
        return `{${name}} requires points${name === 'valid_until' ? ' with expire' : ''}`
      return points.pending?.after === 'fulfilled'
        ? `{${name}} requires points.pending.after to be ordered: the date of fulfilment is not known in advance`
        : undefined
    default:
      return `unknown placeholder "{${name}}", expected one of ${PLACEHOLDERS.map((one) => `{${one}}`).join(', ')}`
  }
}

/** An issue for each name that occurred earlier in the list. */
export function repeatedNames(named: readonly ({ name?: string } | undefined)[], path: string): Issue[] {
  const seen = new Set<string>()
  return named.flatMap((one, index) => {
    const name = one?.name
    if (name === undefined) return []
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    return [{ path: `${path}[${index}].name`, error: `duplicate name ${name}` }]
  })
}

/** An issue for each text that PostgreSQL cannot store: the names of levels and rules are stored with orders (decision 8). */
function textIssues(value: unknown, path = ''): Issue[] {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed()
      ? [{ path, error: 'expected a string without NUL or lone surrogates' }]
      : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([step, inner]) => textIssues(inner, joined(path, step)))
}
