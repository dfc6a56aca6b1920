import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useLocation } from 'wouter'
import { ask } from '../api.ts'
import { MENU_ITEMS } from '../menu.ts'
import { searchOf } from '../search.ts'
import { useMay } from '../session.tsx'
import { Icon, type IconName } from './icon.tsx'

type Found = Readonly<{ key: string; name: string; about: string; icon: IconName; to: string }>

const FOUND_MAX = '5'

/** Finds records by id, e-mail, phone number or code, and every page. */
export function Palette({ onClose }: Readonly<{ onClose: () => void }>) {
  const [, go] = useLocation()
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim())
  const maySeeIds = useMay('support')
  const { data: records = [], isFetching } = useQuery({
    queryKey: ['palette', wanted],
    queryFn: ({ signal }) => findRecords(wanted, maySeeIds, signal),
    enabled: wanted !== '',
    placeholderData: (before) => before,
  })
  const pages = MENU_ITEMS.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase())).map(
    ({ to, name, icon, keys }): Found => ({ key: to, name, about: keys, icon, to }),
  )
  const items = wanted === '' ? pages : [...pages, ...records]
  const choose = (item: Found) => {
    onClose()
    go(item.to)
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette">
          <Dialog.Title className="hidden">Search and commands</Dialog.Title>
          <Autocomplete.Root
            items={items}
            filter={null}
            open
            inline
            autoHighlight="always"
            value={text}
            onValueChange={setText}
            itemToStringValue={({ name }: Found) => name}
          >
            <Autocomplete.Input
              aria-label="Search and commands"
              placeholder="ID, e-mail, phone, referral code, SKU or page"
            />
            <Autocomplete.List>
              {(item: Found) => (
                <Autocomplete.Item key={item.key} value={item} className="choice" onClick={() => choose(item)}>
                  <Icon name={item.icon} />
                  <span className="name">{item.name}</span>
                  <span className="small">{item.about}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
            <Autocomplete.Status className="small">
              {items.length > 0 ? '' : isFetching ? 'Searching…' : 'No results.'}
            </Autocomplete.Status>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Records whose ids begin like this, and players with exactly this. A list that the token may not read is left out. */
async function findRecords(text: string, maySeeIds: boolean, signal: AbortSignal): Promise<Found[]> {
  const query = { prefix: text, limit: FOUND_MAX }
  const data = searchOf(text)
  const [players, exact, orders, products] = await Promise.all([
    maySeeIds
      ? ask('GET /api/admin/players', { query }, signal).then(
          ({ players }) => players,
          () => [],
        )
      : [],
    ask('POST /api/admin/players/search', { data, query: { limit: FOUND_MAX } }, signal).then(
      ({ players }) => players,
      () => [],
    ),
    ask('GET /api/admin/orders', { query }, signal).then(
      ({ orders }) => orders,
      () => [],
    ),
    ask('GET /api/admin/products', { query }, signal).then(
      ({ products }) => products,
      () => [],
    ),
  ])
  const people = new Map([...exact, ...players].map((player) => [player.user_id, player]))
  return [
    ...[...people.values()].map(
      ({ user_id, name }): Found => ({
        key: `player ${user_id}`,
        name: user_id,
        about: `player ${name}`,
        icon: 'players',
        to: `/players/${encodeURIComponent(user_id)}`,
      }),
    ),
    ...orders.map(
      ({ order_id, user_id, points }): Found => ({
        key: `order ${order_id}`,
        name: order_id,
        about: `order of ${user_id}, ${points} points`,
        icon: 'orders',
        to: `/orders/${encodeURIComponent(order_id)}`,
      }),
    ),
    ...products.map(
      ({ sku, price }): Found => ({
        key: `product ${sku}`,
        name: sku,
        about: `product, ${price}`,
        icon: 'products',
        to: `/products?prefix=${encodeURIComponent(sku)}`,
      }),
    ),
  ]
}
