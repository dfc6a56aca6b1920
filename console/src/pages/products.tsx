import { useState } from 'react'
import { Link } from 'wouter'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { attributesText, haveAttributes } from '../attributes.ts'
import { grouped } from '../exact.ts'
import { AsCurl } from '../parts/copy.tsx'
import { Guarded } from '../parts/guarded.tsx'
import { Icon } from '../parts/icon.tsx'
import { PrefixFilter, useIdList } from '../parts/id-list.tsx'
import { Ago, Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { UploadDialog } from '../parts/upload-dialog.tsx'
import { useResponse } from '../responses.ts'
import { useUrlState } from '../url-state.ts'

type Product = RouteResponse<'GET /api/admin/products'>['products'][number]

const COLUMNS: Column<Product>[] = [
  { name: 'SKU', text: ({ sku }) => sku },
  { name: 'Price', text: ({ price }) => price, show: ({ price }) => grouped(price), kind: 'number' },
  { name: 'Changes', text: ({ rev }) => rev - 1, kind: 'number' },
  { name: 'Price since', text: ({ updated_at }) => updated_at, show: ({ updated_at }) => <Moment at={updated_at} /> },
  { name: 'First sent', text: ({ created_at }) => created_at, show: ({ created_at }) => <Moment at={created_at} /> },
]

const ATTRIBUTES: Column<Product> = {
  name: 'Attributes',
  text: ({ attributes }) => attributesText(attributes),
  kind: 'wrap',
}

const EVERY_MS = 10_000
const TABS = { catalogue: 'Catalogue', unknown: 'Unknown' } as const

export function Products() {
  const [tabName] = useUrlState('tab', 'catalogue')
  const [isUploading, setUploading] = useState(false)
  return (
    <Page
      title="Products"
      about="Catalogue prices used by rules, and unknown products named by orders."
      actions={
        <Guarded scope="products" onClick={() => setUploading(true)}>
          <Icon name="upload" /> Upload products
        </Guarded>
      }
    >
      <Tabs name="Products" tabs={TABS} tab={tabName === 'unknown' ? 'unknown' : 'catalogue'} />
      {tabName === 'unknown' ? <UnknownProducts /> : <Catalogue />}
      {isUploading && <UploadDialog recordType="products" onClose={() => setUploading(false)} />}
    </Page>
  )
}

function Catalogue() {
  const { prefix, setPrefix, request, data, error, isStale, retry, answeredAtMs } = useIdList('GET /api/admin/products')
  const columns = haveAttributes(data?.products) ? [...COLUMNS, ATTRIBUTES] : COLUMNS
  return (
    <>
      <div className="bar-of-list">
        <PrefixFilter label="SKU begins with" prefix={prefix} setPrefix={setPrefix} />
        <CsvButton name="products" columns={columns} rows={data?.products} />
        <AsCurl requests={[{ name: 'GET /api/admin/products', request }]} />
      </div>
      <Failure error={error} retry={retry} since={answeredAtMs} />
      {data?.products.length === 0 ? (
        <Empty title={prefix === '' ? 'No products yet' : 'No SKUs with this prefix'}>
          {prefix === '' && (
            <>
              <p>The shop sends them, or you can import a price list, with a dry run first:</p>
              <pre className="code">npx --no laurel import products prices.csv --dry-run</pre>
            </>
          )}
        </Empty>
      ) : (
        <>
          <Table
            name="Products"
            columns={columns}
            rows={data?.products}
            keyOf={({ sku }) => sku}
            isStale={isStale}
            expected={12}
          />
          <Pager after={data?.after} />
        </>
      )}
    </>
  )
}

type Unknown = RouteResponse<'GET /api/admin/statistics/unknown-products'>['products'][number]

const UNKNOWN_COLUMNS: Column<Unknown>[] = [
  { name: 'SKU', text: ({ sku }) => sku, kind: 'wrap' },
  { name: 'Orders', text: ({ orders }) => orders, show: ({ orders }) => grouped(orders), kind: 'number' },
  {
    name: 'Predictions',
    text: ({ predictions }) => predictions,
    show: ({ predictions }) => grouped(predictions),
    kind: 'number',
  },
  {
    name: 'Last order',
    text: ({ order_id }) => order_id,
    show: ({ order_id }) =>
      order_id === null ? (
        <span className="quiet">only predicted</span>
      ) : (
        <Link href={`/orders/${encodeURIComponent(order_id)}`}>{order_id}</Link>
      ),
  },
  {
    name: 'Last named',
    text: ({ last_named_at }) => last_named_at,
    show: ({ last_named_at }) => <Ago at={last_named_at} />,
  },
  {
    name: 'First named',
    text: ({ first_named_at }) => first_named_at,
    show: ({ first_named_at }) => <Moment at={first_named_at} />,
  },
]

const UNKNOWN_REQUEST = { query: { limit: '200' } }

function UnknownProducts() {
  const { data, error, isStale, retry, answeredAtMs } = useResponse(
    'GET /api/admin/statistics/unknown-products',
    UNKNOWN_REQUEST,
    { everyMs: EVERY_MS },
  )
  return (
    <>
      <div className="bar-of-list">
        <p className="quiet">
          Products named by orders and predictions but missing from the catalogue, most frequent first. Their lines
          count with their own amount; default: 0.
        </p>
        <CsvButton name="unknown-products" columns={UNKNOWN_COLUMNS} rows={data?.products} />
        <AsCurl requests={[{ name: 'GET /api/admin/statistics/unknown-products', request: UNKNOWN_REQUEST }]} />
      </div>
      <Failure error={error} retry={retry} since={answeredAtMs} />
      {data?.products.length === 0 ? (
        <Empty title="No unknown products">
          <p>Products named by orders but missing from the catalogue appear here within seconds, for 90 days.</p>
        </Empty>
      ) : (
        <Table
          name="Unknown products"
          columns={UNKNOWN_COLUMNS}
          rows={data?.products}
          keyOf={({ sku }) => sku}
          isStale={isStale}
          expected={6}
        />
      )}
    </>
  )
}
