import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { ask } from '../api.ts'
import { AsCurl } from '../parts/copy.tsx'
import { useIdList } from '../parts/id-list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { searchOf } from '../search.ts'
import { useMay } from '../session.tsx'

type Player = RouteResponse<'GET /api/admin/players'>['players'][number]

export function playerAddress(userId: string): string {
  return `/players/${encodeURIComponent(userId)}`
}

const HANDLE_CHARACTERS = 15

/** The handle of a player, which a token without `support` sees in place of an id, is shown by its beginning. */
export function PlayerLink({ id }: Readonly<{ id: string }>) {
  const isHandle = id.startsWith('player~')
  return (
    <Link href={playerAddress(id)} title={isHandle ? id : undefined}>
      {isHandle ? `${id.slice(0, HANDLE_CHARACTERS)}…` : id}
    </Link>
  )
}

const COLUMNS: Column<Player>[] = [
  { name: 'Player', text: ({ user_id }) => user_id, show: ({ user_id }) => <PlayerLink id={user_id} /> },
  { name: 'Name', text: ({ name }) => name },
  { name: 'State', text: ({ state }) => state },
  { name: 'Country', text: ({ country }) => country },
  { name: 'Code', text: ({ refer_code }) => refer_code },
  { name: 'Since', text: ({ created_at }) => created_at, show: ({ created_at }) => <Moment at={created_at} /> },
]

export function Players() {
  const { prefix, setPrefix, request, data, error, isStale, retry, answeredAtMs } = useIdList('GET /api/admin/players')
  return (
    <Page
      title="Players"
      about="By ID. Personal data is masked in lists."
      actions={
        <>
          <CsvButton name="players" columns={COLUMNS} rows={data?.players} />
          <AsCurl requests={[{ name: 'GET /api/admin/players', request }]} />
        </>
      }
    >
      <FindPlayer prefix={prefix} setPrefix={setPrefix} />
      <Failure error={error} retry={retry} since={answeredAtMs} />
      {data?.players.length === 0 ? (
        <Empty title={prefix === '' ? 'No players yet' : 'No player IDs with this prefix'}>
          {prefix === '' ? (
            <>
              <p>The shop sends them, or you can import existing ones:</p>
              <pre className="code">npx --no laurel import players customers.csv</pre>
            </>
          ) : (
            <p>IDs are case-sensitive.</p>
          )}
        </Empty>
      ) : (
        <>
          <Table
            name="Players"
            columns={COLUMNS}
            rows={data?.players}
            keyOf={(_, index) => String(index)}
            isStale={isStale}
            expected={12}
          />
          <Pager after={data?.after} />
        </>
      )}
    </Page>
  )
}

/**
 * Finds a player by exact e-mail, phone number, code or id, which never appear in the page's URL; else lists ids with this prefix, for those who may see
 * ids.
 */
function FindPlayer({ prefix, setPrefix }: Readonly<{ prefix: string; setPrefix: (prefix: string) => void }>) {
  const maySeeIds = useMay('support')
  const [, go] = useLocation()
  const [notice, setNotice] = useState('')
  const [failure, setFailure] = useState<Error>()
  const find = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('who')).trim()
    setNotice('')
    setFailure(undefined)
    if (text === '') return setPrefix('')
    const sought = searchOf(text)
    try {
      const { players } = await ask('POST /api/admin/players/search', { data: sought })
      const [only] = players
      if (players.length === 1) return go(playerAddress(only!.user_id))
      if (players.length > 1)
        setNotice(`${players.length} players found: ${players.map(({ user_id }) => user_id).join(', ')}`)
      else if (!maySeeIds || 'email' in sought || 'phone' in sought)
        setNotice('No player found with this e-mail, phone number, code or ID.')
      else setPrefix(text)
    } catch (error) {
      setFailure(error as Error)
    }
  }
  return (
    <form className="filter" onSubmit={find}>
      <label className="field">
        <span>ID, e-mail, phone or referral code</span>
        <input name="who" type="search" defaultValue={prefix} autoComplete="off" spellCheck={false} data-filter />
      </label>
      <button type="submit" className="button">
        Find
      </button>
      {notice !== '' && <p role="status">{notice}</p>}
      <Failure error={failure} />
    </form>
  )
}
