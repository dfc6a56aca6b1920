import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { ask, Refused } from '../api.ts'
import { calendarDayText } from '../calendar-days.ts'
import { approximately, grouped, negated, signed, sumOf } from '../exact.ts'
import { instantsOnClock, wallClock } from '../moments.ts'
import { ClockField } from '../parts/clock-field.tsx'
import { AsCurl, CopyButton } from '../parts/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { LeftOut } from '../parts/left-out.tsx'
import { Page } from '../parts/page.tsx'
import { Segments } from '../parts/segments.tsx'
import { Empty, Failure, Skeleton, sentenceOf } from '../parts/states.tsx'
import { Table, type Column as TableColumn } from '../parts/table.tsx'
import { Waterfall } from '../parts/waterfall.tsx'
import { useResponse } from '../responses.ts'
import { useUrlState } from '../url-state.ts'
import { useZone } from '../zone.ts'

type Simulation = RouteResponse<'POST /api/admin/simulations'>
type Column = Simulation['holds']
type Line = Readonly<{ id: number; product_sku_id: string; amount: string; qty: string; refunded?: Refunded }>
type Refunded = NonNullable<RouteResponse<'GET /api/admin/orders/:order_id'>['lines'][number]['refunded']>
type Form = Readonly<{
  order_id: string
  user_id: string
  total_amount: string
  discount: string
  refferral_code: string
  points_redeemed: string
  /** As chosen, on the clock of the program's zone; of a recorded order, its exact moment in UTC. */
  ordered_at: string
  lines: readonly Line[]
}>

const WAIT_MS = 300
const EMPTY: Form = {
  order_id: '',
  user_id: '',
  total_amount: '',
  discount: '',
  refferral_code: '',
  points_redeemed: '',
  ordered_at: '',
  lines: [],
}

export function TryOrder() {
  const [search] = useSearchParams()
  const [under, setUnder] = useUrlState('under')
  const [mode, setMode] = useUrlState('mode', 'form')
  const [form, setForm] = useState<Form>({ ...EMPTY, user_id: search.get('user_id') ?? '' })
  const [json, setJson] = useState('')
  const [loaded, setLoaded] = useState<Error | undefined>()
  const programs = useResponse('GET /api/admin/programs')
  const orderId = search.get('order') ?? ''
  const zone = useZone()

  useEffect(() => {
    if (orderId === '') return
    setLoaded(undefined)
    ask('GET /api/admin/orders/:order_id', { params: { order_id: orderId } }).then(
      (order) => setForm(formOf(order)),
      setLoaded,
    )
  }, [orderId])

  const order = mode === 'json' ? parsedJson(json) : orderOf(form, zone)
  const request = {
    data: { order, ...(under === '' ? {} : { under_version: Number(under) }) },
  }
  const isComplete =
    mode === 'json' ? order !== undefined : form.user_id.trim() !== '' && form.total_amount.trim() !== ''
  const typed = JSON.stringify(request)
  const settled = useSettled(typed)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['simulation', settled],
    queryFn: ({ signal }) => ask('POST /api/admin/simulations', JSON.parse(settled), signal),
    enabled: isComplete && settled === typed,
    placeholderData: keepPreviousData,
  })
  const toJson = (next: string) => {
    if (next === 'json') setJson(JSON.stringify(orderOf(form, zone), null, 2))
    setMode(next)
  }
  return (
    <Page
      title="Simulator"
      about="What an order would earn, and why. Nothing is recorded."
      actions={
        <>
          <Segments
            name="Input mode"
            choices={{ form: 'Form', json: 'JSON' }}
            value={mode === 'json' ? 'json' : 'form'}
            onChange={toJson}
          />
          <AsCurl requests={[{ name: 'POST /api/admin/simulations', request }]} />
        </>
      }
    >
      <Failure error={loaded} />
      <div className="sides">
        <div className="form">
          {mode === 'json' ? (
            <JsonForm json={json} setJson={setJson} isBroken={json.trim() !== '' && order === undefined} />
          ) : (
            <OrderForm form={form} setForm={setForm} issue={issueOf(error)} />
          )}
          <label className="field">
            <span>Compare with</span>
            <select value={under} onChange={(event) => setUnder(event.target.value)}>
              <option value="">nothing</option>
              {programs.data?.programs.map(({ version, name, is_effective }) => (
                <option key={version} value={String(version)}>
                  version {version}, {name}
                  {is_effective ? ' (in effect)' : ''}
                </option>
              ))}
            </select>
            <span className="hint">A second column: the same order under that version.</span>
          </label>
        </div>
        <div className={isFetching && data !== undefined ? 'stale' : ''} aria-live="polite">
          {!isComplete ? (
            <Empty title="Player and total are required">
              <p>The rest is optional. The result follows as you type; an unknown player counts as a new one.</p>
            </Empty>
          ) : error !== null ? (
            <Failure error={error} retry={refetch} />
          ) : data === undefined ? (
            <Skeleton width="100%" height="12rem" />
          ) : (
            <Result simulation={data} order={order as object} />
          )}
        </div>
      </div>
    </Page>
  )
}

function OrderForm({
  form,
  setForm,
  issue,
}: Readonly<{ form: Form; setForm: (form: Form) => void; issue: Issue | undefined }>) {
  const field = (
    name: Exclude<keyof Form, 'lines' | 'ordered_at'>,
    label: string,
    options: { hint?: string; mode?: 'decimal' | 'numeric' } = {},
  ) => {
    const isWrong = issue?.field === name
    return (
      <label className="field">
        <span>{label}</span>
        <input
          value={form[name]}
          inputMode={options.mode}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isWrong}
          onChange={(event) => setForm({ ...form, [name]: event.target.value })}
        />
        {isWrong ? (
          <span className="fault">{issue.text}</span>
        ) : (
          options.hint !== undefined && <span className="hint">{options.hint}</span>
        )}
      </label>
    )
  }
  const zone = useZone()
  const setLine = (id: number, change: Partial<Line>) =>
    setForm({ ...form, lines: form.lines.map((line) => (line.id === id ? { ...line, ...change } : line)) })
  return (
    <>
      {field('user_id', 'Player')}
      <div className="row">
        {field('total_amount', 'Total', { mode: 'decimal' })}
        {field('discount', 'Discount', { mode: 'decimal' })}
      </div>
      <fieldset className="field">
        <legend>Lines</legend>
        {form.lines.map((line, index) => (
          <div key={line.id} className="line">
            <input
              aria-label={`SKU of line ${index + 1}`}
              placeholder="SKU"
              value={line.product_sku_id}
              onChange={(event) => setLine(line.id, { product_sku_id: event.target.value })}
            />
            <input
              aria-label={`Quantity of line ${index + 1}`}
              placeholder="Qty"
              inputMode="decimal"
              value={line.qty}
              onChange={(event) => setLine(line.id, { qty: event.target.value })}
            />
            <input
              aria-label={`Amount of line ${index + 1}`}
              placeholder="Amount"
              inputMode="decimal"
              value={line.amount}
              onChange={(event) => setLine(line.id, { amount: event.target.value })}
            />
            <button
              type="button"
              className="button plain square"
              aria-label={`Remove line ${index + 1}`}
              onClick={() => setForm({ ...form, lines: form.lines.filter(({ id }) => id !== line.id) })}
            >
              <Icon name="cross" />
            </button>
          </div>
        ))}
        {issue?.field === 'products' && <span className="fault">{issue.text}</span>}
        <button
          type="button"
          className="button"
          onClick={() =>
            setForm({
              ...form,
              lines: [
                ...form.lines,
                { id: Math.max(0, ...form.lines.map(({ id }) => id)) + 1, product_sku_id: '', amount: '', qty: '1' },
              ],
            })
          }
        >
          <Icon name="plus" /> Add a line
        </button>
      </fieldset>
      <div className="row">
        {field('refferral_code', 'Referral code')}
        {field('order_id', 'Order ID', { hint: 'A recorded order is computed as at its first recording.' })}
      </div>
      {field('points_redeemed', 'Points to redeem', {
        hint: 'Points that pay for part of the order.',
        mode: 'numeric',
      })}
      <ClockField
        label="Order time"
        value={form.ordered_at.endsWith('Z') ? wallClock(Date.parse(form.ordered_at), zone) : form.ordered_at}
        onChange={(ordered_at) => setForm({ ...form, ordered_at })}
        empty="now"
        issue={issue?.field === 'ordered_at' ? issue.text : undefined}
      />
    </>
  )
}

function JsonForm({
  json,
  setJson,
  isBroken,
}: Readonly<{ json: string; setJson: (json: string) => void; isBroken: boolean }>) {
  return (
    <label className="field">
      <span>Order</span>
      <textarea
        className="mono"
        rows={18}
        value={json}
        spellCheck={false}
        aria-invalid={isBroken}
        onChange={(event) => setJson(event.target.value)}
      />
      {isBroken ? (
        <span className="fault">Invalid JSON.</span>
      ) : (
        <span className="hint">The fields of a prediction; only user_id and total_amount are required.</span>
      )}
    </label>
  )
}

function Result({ simulation, order }: Readonly<{ simulation: Simulation; order: object }>) {
  const { holds, compared } = simulation
  return (
    <>
      <p className="sentence">{holds.message}</p>
      <LeftOut of={simulation.left_out ?? []} />
      {compared !== null && (
        <p className="quiet">
          Under {nameOf(compared)}: {compared.message}{' '}
          <strong>{signed(sumOf([compared.total_points, negated(holds.total_points)]))} points</strong>
        </p>
      )}
      <LevelBar column={holds} />
      {holds.explanation.balance !== undefined && <Wallet balance={holds.explanation.balance} />}
      <div className="columns wide">
        <section className="section">
          <header>
            <h2>{nameOf(holds)}</h2>
            <CopyButton name="Copy as test case" text={caseOf(order, holds)} />
          </header>
          <Waterfall explanation={holds.explanation} points={holds.total_points} />
        </section>
        {compared !== null && (
          <section className="section">
            <header>
              <h2>{nameOf(compared)}</h2>
            </header>
            <Waterfall explanation={compared.explanation} points={compared.total_points} />
          </section>
        )}
      </div>
    </>
  )
}

function LevelBar({ column }: Readonly<{ column: Column }>) {
  const { before, after, counted: exact, next } = column.explanation.level
  const counted = approximately(exact)
  const all = next === null ? counted : counted + approximately(next.missing)
  const ofOrder = Math.min(Math.max(0, counted), approximately(column.total_points))
  const share = (points: number) => `${all <= 0 ? 0 : (Math.max(0, points) / all) * 100}%`
  return (
    <div className="level">
      <span className="ends">
        <span>{before === after ? after : `${before}, then ${after}`}</span>
        <span className="quiet">{next === null ? 'the highest level' : next.name}</span>
      </span>
      <span className="progress" aria-hidden="true">
        <span className="had" style={{ width: share(counted - ofOrder) }} />
        <span className="added" style={{ width: share(ofOrder) }} />
      </span>
      <span className="small">
        {grouped(exact)} points count for the level with this order
        {next === null ? '' : `, ${grouped(next.missing)} to go`}
      </span>
    </div>
  )
}

type Balance = NonNullable<Column['explanation']['balance']>

/** What the order does to the balance: only under a program whose points wait, expire or pay. */
function Wallet({ balance }: Readonly<{ balance: Balance }>) {
  const { before, earns, redeems, redeemable, after, next_expiry } = balance
  return (
    <section className="section">
      <header>
        <h2>Balance</h2>
      </header>
      <dl className="facts">
        <div>
          <dt>Available</dt>
          <dd className="number">
            {grouped(sumOf([before.available, negated(before.held)]))} <span className="quiet">then</span>{' '}
            {grouped(sumOf([after.available, negated(after.held)]))}
          </dd>
        </div>
        <div>
          <dt>Pending</dt>
          <dd className="number">
            {grouped(before.pending)} <span className="quiet">then</span> {grouped(after.pending)}
          </dd>
        </div>
        <div>
          <dt>Redeems</dt>
          <dd>
            {redeems.points === 0 ? (
              <span className="quiet">nothing</span>
            ) : (
              `${grouped(redeems.points)} points, which pay ${grouped(redeems.pays)}`
            )}
          </dd>
        </div>
        <div>
          <dt>Maximum redemption</dt>
          <dd>
            {redeemable === null ? (
              <span className="quiet">the program has no redeem</span>
            ) : (
              `${grouped(redeemable.most)} points, which pay ${grouped(redeemable.pays)}`
            )}
          </dd>
        </div>
        <div>
          <dt>Earned points</dt>
          <dd>
            {earns.usable_on === null
              ? 'pending, without a date yet'
              : `can be spent from ${calendarDayText(earns.usable_on)}`}
            {earns.expires_on !== null && `, expires on ${calendarDayText(earns.expires_on)}`}
          </dd>
        </div>
        <div>
          <dt>Next expiry</dt>
          <dd>
            {next_expiry === null ? (
              <span className="quiet">nothing</span>
            ) : (
              `${grouped(next_expiry.points)} points on ${calendarDayText(next_expiry.on)}`
            )}
          </dd>
        </div>
      </dl>
      {redeems.from.length > 0 && (
        <Table name="Points taken" columns={TAKEN_COLUMNS} rows={redeems.from} keyOf={(_, at) => String(at)} />
      )}
    </section>
  )
}

const TAKEN_COLUMNS: TableColumn<Balance['redeems']['from'][number]>[] = [
  { name: 'Points taken', text: ({ points }) => points, show: ({ points }) => grouped(points) },
  {
    name: 'Would have expired on',
    text: ({ expires_on }) => expires_on,
    show: ({ expires_on }) =>
      expires_on === null ? <span className="quiet">never</span> : calendarDayText(expires_on),
  },
]

function nameOf({ version, explanation }: Column): string {
  return version === null ? explanation.program.name : `${explanation.program.name}, version ${version}`
}

type Issue = Readonly<{ field: string; text: string }>

/** Which field of the form the service refuses, and why. */
function issueOf(error: Error | null): Issue | undefined {
  const match = error instanceof Refused ? /^data\.order\.(\w+)/.exec(error.path ?? '') : null
  return match === null ? undefined : { field: match[1]!, text: sentenceOf(error!) }
}

/** Where the clock of the zone shows no such time, the text goes to the service, which refuses it. */
function orderOf({ lines, ...form }: Form, zone: string): object {
  const texts = { ...form, ordered_at: instantsOnClock(form.ordered_at, zone)?.[0] ?? form.ordered_at }
  const entries = Object.entries(texts).map(([name, text]) => [name, text.trim()] as const)
  const products = lines.map(({ id: _, refunded, ...line }) => ({
    ...filled(Object.entries(line)),
    ...(refunded === undefined ? {} : { refunded }),
  }))
  return { ...filled(entries), ...(products.length === 0 ? {} : { products }) }
}

function filled(entries: readonly (readonly [string, string])[]): object {
  return Object.fromEntries(entries.filter(([, text]) => text !== ''))
}

function formOf(order: RouteResponse<'GET /api/admin/orders/:order_id'>): Form {
  return {
    order_id: order.order_id,
    user_id: order.user_id,
    total_amount: order.total,
    discount: order.discount,
    refferral_code: order.referral_code,
    points_redeemed: '',
    ordered_at: order.ordered_at,
    lines: order.lines.map(({ sku = '', amount = '', ...line }, id) => ({ ...line, id, product_sku_id: sku, amount })),
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A case for `laurel program check --cases`: the order, and what it earns now. */
function caseOf(tried: object, { total_points, explanation }: Column): string {
  const { user_id: _, refferral_code: __, order_id: ___, ordered_at: ____, ...order } = tried as Record<string, unknown>
  const expected = { points: total_points, level: explanation.level.after }
  return `cases:\n  - name: from the simulator\n    orders:\n      - ${JSON.stringify({ ...order, expect: expected })}\n`
}

/** A value that has not changed for a moment: queries follow the typing, but not each key. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), WAIT_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
