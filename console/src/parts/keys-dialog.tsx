import { MENU_ITEMS } from '../menu.ts'
import { Dialog } from './dialog.tsx'

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Search players, orders, products and commands'],
  ['/', "Go to the page's filter"],
  ['← →', 'In a chart: previous or next value'],
  ['?', 'Keyboard shortcuts'],
]

export function KeysDialog({ onClose }: Readonly<{ onClose: () => void }>) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
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
