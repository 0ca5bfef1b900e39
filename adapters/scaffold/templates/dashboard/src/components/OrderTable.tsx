import { useMemo, useState } from 'react'
import type { Order } from '@/lib/data'

const colours: Record<Order['status'], string> = { paid: 'text-good', open: 'text-accent', refunded: 'text-bad' }
const cell = 'py-2.5 pr-3 text-left last:pr-0 last:text-right last:tabular-nums'

const euros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })

export function OrderTable({ orders }: { orders: Order[] }) {
  const [query, setQuery] = useState('')
  const found = useMemo(() => {
    const wanted = query.trim().toLowerCase()
    return orders.filter((order) => `${order.id} ${order.customer} ${order.status}`.toLowerCase().includes(wanted))
  }, [orders, query])

  return (
    <section className="panel" aria-labelledby="orders-title">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="font-semibold" id="orders-title">Recent orders</h2>
        <input
          type="search"
          className="w-56 min-w-0 rounded-lg border border-line px-3 py-1.5 placeholder:text-muted"
          aria-label="Search orders"
          placeholder="Search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </div>
      <div className="overflow-x-auto">
        <table className="w-full">
          <thead>
            <tr className="border-b border-line text-sm text-muted">
              {['Order', 'Customer', 'Status', 'Total'].map((title) => (
                <th key={title} scope="col" className={`${cell} font-semibold`}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.map((order) => (
              <tr key={order.id} className="border-b border-line last:border-0">
                <td className={cell}>{order.id}</td>
                <td className={cell}>{order.customer}</td>
                <td className={cell}>
                  <span className={`rounded-full border px-2.5 py-0.5 text-sm ${colours[order.status]}`}>{order.status}</span>
                </td>
                <td className={cell}>{euros.format(order.total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length === 0 && <p className="pt-4 text-muted">No order matches “{query}”.</p>}
    </section>
  )
}
