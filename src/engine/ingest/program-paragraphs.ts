import type { Issue } from '../points/issue.ts'

const PAGE = 'docs/program-reference.md'

/** The headings of the reference about the paths of a program; the first that matches. */
const HEADINGS: readonly (readonly [path: RegExp, heading: string])[] = [
  [/^rounding$/, 'rounding'],
  [/^levels\.counts\./, 'levels-of-the-last-months'],
  [/^levels\b/, 'levels'],
  [/^money\b/, 'money'],
  [/^attributes\b/, 'attributes'],
  [/^statistics\b/, 'statistics'],
  [/^referral\b/, 'referrals'],
  [/^points\b/, 'pending-and-expiring-points'],
  [/^redeem\.when$/, 'conditions'],
  [/^redeem\b/, 'paying-with-points'],
  [/^messages\b/, 'messages'],
  [/^earn\[\d+\]\.when$/, 'conditions'],
  [/^earn\[\d+\]\.during\b/, 'days-and-hours'],
  [/^earn\[\d+\]\.least$/, 'money-of-selected-lines'],
  [/^earn\[\d+\]\.per-amount\b/, 'per-amount'],
  [/^earn\b/, 'rules'],
]

/** The paragraph of the documents about an issue of a program: `docs/program-reference.md#rules`. */
export function paragraphOf({ path, see }: Pick<Issue, 'path' | 'see'>): string {
  const heading = see ?? HEADINGS.find(([about]) => about.test(path))?.[1]
  return `${PAGE}#${heading ?? 'program-reference'}`
}
