import type { ShopSettings } from '../../engine/ingest/shop-settings.ts'
import { escapeControls } from '../../text.ts'
import { type SettingChange, shopAfter } from '../input/setting-changes.ts'
import { shellWord } from './command-words.ts'

/** Skipped records that other settings would accept, counted by the changes that each needs. */
export type SettingAdvice = Readonly<{
  add: (changes: readonly SettingChange[]) => void
  count: () => number
  /** The most frequent ones, a line each. */
  text: () => string
  /** The most frequent ones, for programs. */
  list: () => readonly Readonly<{ records: number; changes: readonly SettingChange[] }>[]
  /** Every change among those that are shown, once each. */
  changes: () => readonly SettingChange[]
}>

const SHOWN_MAX = 10
/** Any others are counted together. */
const KEPT_MAX = 1_000

export function createSettingAdvice(): SettingAdvice {
  const kept = new Map<string, { records: number; changes: readonly SettingChange[] }>()
  let others = 0
  const sorted = () => [...kept.values()].sort((a, b) => b.records - a.records)
  const list = () => sorted().slice(0, SHOWN_MAX)
  const count = () => kept.values().reduce((sum, { records }) => sum + records, others)
  return {
    add: (changes) => {
      const key = JSON.stringify(changes)
      const existing = kept.get(key)
      if (existing !== undefined) existing.records += 1
      else if (kept.size === KEPT_MAX) others += 1
      else kept.set(key, { records: 1, changes })
    },
    count,
    list,
    text: () => {
      const shown = list()
      const more = shown.reduce((left, { records }) => left - records, count())
      const lines = shown.map(({ records, changes }) => `  ${records} with ${changesText(changes)}\n`)
      return [...lines, ...(more === 0 ? [] : [`  ${more} with others\n`])].join('')
    },
    changes: () => {
      const every = list().flatMap(({ changes }) => changes)
      return [...new Map(every.map((change) => [JSON.stringify(change), change])).values()]
    },
  }
}

/** Changes of the same setting are joined: `players.required without DOB, Gender and players.pincode text`. */
function changesText(changes: readonly SettingChange[]): string {
  const bySetting = Map.groupBy(changes, ({ setting }) => setting)
  return [...bySetting].map(([setting, same]) => `${setting} ${same.map(changeText).join(', ')}`).join(' and ')
}

function changeText(change: SettingChange, place: number): string {
  const word = (word: string) => (place === 0 ? `${word} ` : '')
  if (change.setting === 'players.required') return `${word('without')}${change.without}`
  if (change.setting === 'players.genders') return `${word('with')}${escapeControls(change.with)}`
  return String(change.value)
}

/** The line of a program that allows as many decimals as the changes ask for; undefined if they ask for none. */
export function moneyLine(changes: readonly SettingChange[]): string | undefined {
  const decimals = changes.flatMap((change) => (change.setting === 'money.decimals' ? [change.value] : []))
  return decimals.length === 0 ? undefined : `money: { decimals: ${Math.max(...decimals)} }`
}

/** The commands that make the changes. `isAppendable`: the line about money can be appended to the program in effect. `url` as given to the command. */
export function commandsFor(
  shop: ShopSettings,
  changes: readonly SettingChange[],
  { isAppendable, url }: Readonly<{ isAppendable: boolean; url: string | undefined }>,
): readonly string[] {
  const at = url === undefined ? '' : ` --url ${shellWord(url)}`
  const after = shopAfter(shop, changes)
  const settings = [...new Set(changes.map(({ setting }) => setting))].filter((setting) => setting !== 'money.decimals')
  const money = moneyLine(changes)
  const publish = `npx --no laurel program publish shop.yaml${at}`
  const program = isAppendable
    ? [`(npx --no laurel program show${at}; echo '${money}') > shop.yaml && ${publish}`]
    : [`npx --no laurel program show${at} > shop.yaml`, `# write ${money} in shop.yaml, then:`, publish]
  return [
    ...settings.map((setting) => `npx --no laurel settings set ${setting} ${shellWord([after[setting]].join())}${at}`),
    ...(money === undefined ? [] : program),
  ]
}
