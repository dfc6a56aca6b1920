import type { IconName } from './parts/icon.tsx'

export type MenuItem = Readonly<{ to: string; name: string; icon: IconName; keys: string }>

/** Every page, in the order of the menu. `keys` are pressed one after the other. */
export const MENU: readonly Readonly<{ name: string; items: readonly MenuItem[] }>[] = [
  {
    name: 'Monitor',
    items: [
      { to: '/', name: 'Overview', icon: 'overview', keys: 'g o' },
      { to: '/predictions', name: 'Predictions', icon: 'predictions', keys: 'g e' },
      { to: '/feeds', name: 'Sources', icon: 'feeds', keys: 'g f' },
    ],
  },
  {
    name: 'Records',
    items: [
      { to: '/players', name: 'Players', icon: 'players', keys: 'g p' },
      { to: '/orders', name: 'Orders', icon: 'orders', keys: 'g r' },
      { to: '/products', name: 'Products', icon: 'products', keys: 'g d' },
    ],
  },
  {
    name: 'Rules',
    items: [
      { to: '/program', name: 'Program', icon: 'program', keys: 'g m' },
      { to: '/try', name: 'Simulator', icon: 'try', keys: 'g t' },
    ],
  },
  {
    name: 'Admin',
    items: [
      { to: '/access', name: 'Access', icon: 'access', keys: 'g a' },
      { to: '/system', name: 'System', icon: 'system', keys: 'g s' },
      { to: '/api', name: 'API', icon: 'api', keys: 'g i' },
    ],
  },
]

export const MENU_ITEMS = MENU.flatMap(({ items }) => items)
