import { MENU_ITEMS } from '../menu.ts'
import { Dialog } from './dialog.tsx'

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Search players, orders, products and commands'],
  ['/', "The page's filter"],
  ['← →', 'In a chart: the days, one by one'],
  ['?', 'These keys'],
]

export function KeysDialog({ onClose }: Readonly<{ onClose: () => void }>) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {[...KEYS, ...MENU_ITEMS.map(({ keys, name }) => [keys, name] as const)].map(([keys, name]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
