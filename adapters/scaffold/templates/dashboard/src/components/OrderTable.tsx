import { useMemo, useState } from 'react'
import type { Order } from '@/lib/data'

const euros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })

export function OrderTable({ orders }: { orders: Order[] }) {
  const [query, setQuery] = useState('')
  const found = useMemo(() => {
    const wanted = query.trim().toLowerCase()
    return orders.filter((order) => `${order.id} ${order.customer} ${order.status}`.toLowerCase().includes(wanted))
  }, [orders, query])

  return (
    <section className="panel" aria-labelledby="orders-title">
      <div className="panel-header">
        <h2 id="orders-title">Recent orders</h2>
        <input type="search" aria-label="Search orders" placeholder="Search" value={query} onChange={(event) => setQuery(event.target.value)} />
      </div>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Order</th>
              <th scope="col">Customer</th>
              <th scope="col">Status</th>
              <th scope="col" className="number">
                Total
              </th>
            </tr>
          </thead>
          <tbody>
            {found.map((order) => (
              <tr key={order.id}>
                <td>{order.id}</td>
                <td>{order.customer}</td>
                <td>
                  <span className={`badge ${order.status}`}>{order.status}</span>
                </td>
                <td className="number">{euros.format(order.total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length === 0 && <p className="none">No order matches “{query}”.</p>}
    </section>
  )
}
