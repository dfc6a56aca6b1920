import type { Answer } from '../../../src/http/routes/answers.ts'
import { grouped } from '../exact.ts'
import { momentText } from '../moments.ts'
import { AsCurl } from '../parts/copy.tsx'
import { PrefixFilter, useIdList } from '../parts/id-list.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { type Column, CsvButton, Table } from '../parts/table.tsx'

type Product = Answer<'GET /api/admin/products'>['products'][number]

const COLUMNS: Column<Product>[] = [
  { name: 'SKU', text: ({ sku }) => sku },
  { name: 'Price', text: ({ price }) => price, show: ({ price }) => grouped(price), kind: 'number' },
  { name: 'Changes', text: ({ rev }) => rev - 1, kind: 'number' },
  { name: 'Price since', text: ({ updated_at }) => updated_at, show: ({ updated_at }) => momentText(updated_at) },
  { name: 'First sent', text: ({ created_at }) => created_at, show: ({ created_at }) => momentText(created_at) },
]

export function Products() {
  const { prefix, setPrefix, asked, data, error, isStale, retry, answeredAtMs } = useIdList('GET /api/admin/products')
  return (
    <Page
      title="Products"
      about="The prices that rules of catalogue amounts use, and lines that were sent without one."
      actions={
        <>
          <CsvButton name="products" columns={COLUMNS} rows={data?.products} />
          <AsCurl requests={[{ name: 'GET /api/admin/products', asked }]} />
        </>
      }
    >
      <PrefixFilter label="SKU begins with" prefix={prefix} setPrefix={setPrefix} />
      <Failure error={error} retry={retry} since={answeredAtMs} />
      {data?.products.length === 0 ? (
        <Empty title={prefix === '' ? 'No products yet' : 'No SKU begins so'}>
          {prefix === '' && (
            <>
              <p>The shop sends them, or you import a price list; a dry run comes first:</p>
              <pre className="code">npx laurel import products prices.csv --dry-run</pre>
            </>
          )}
        </Empty>
      ) : (
        <>
          <Table
            name="Products"
            columns={COLUMNS}
            rows={data?.products}
            keyOf={({ sku }) => sku}
            isStale={isStale}
            expected={12}
          />
          <Pager after={data?.after} />
        </>
      )}
    </Page>
  )
}
