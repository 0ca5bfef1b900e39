import { useMemo, useState } from 'react'
import { Search } from '@/components/icons'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Input, Select } from '@/components/ui/input'
import { Empty } from '@/components/ui/states'
import type { Order } from '@/lib/data'

const states: Record<Order['status'], { label: string; colour: string }> = {
  paid: { label: 'Paid', colour: 'text-good' },
  open: { label: 'Open', colour: 'text-warn' },
  refunded: { label: 'Refunded', colour: 'text-destructive' },
}

const euros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })
const days = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })

export function OrderTable({ orders }: { orders: Order[] }) {
  const [query, setQuery] = useState('')
  const [status, setStatus] = useState('')
  const found = useMemo(() => {
    const wanted = query.trim().toLowerCase()
    return orders.filter(
      (order) =>
        (status === '' || order.status === status) && `${order.id} ${order.customer} ${order.item}`.toLowerCase().includes(wanted),
    )
  }, [orders, query, status])

  function showAll() {
    setQuery('')
    setStatus('')
  }

  return (
    <Card className="gap-0 py-0">
      <div className="flex flex-wrap items-center justify-between gap-3 px-5 py-4">
        <CardTitle>Recent orders</CardTitle>
        <div className="flex w-full gap-2 sm:w-auto">
          <Input
            type="search"
            className="sm:w-56"
            aria-label="Search orders"
            placeholder="Search"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          <Select className="w-auto" aria-label="Status" value={status} onChange={(event) => setStatus(event.target.value)}>
            <option value="">All</option>
            {Object.entries(states).map(([id, { label }]) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </Select>
        </div>
      </div>
      {found.length === 0 ? (
        <Empty className="border-t" icon={<Search />} title="No order matches">
          <Button variant="link" onClick={showAll}>
            Show all orders
          </Button>
        </Empty>
      ) : (
        <table className="w-full border-t text-left text-sm [&_td]:px-2 [&_td]:py-3 sm:[&_td]:px-3 [&_th]:px-2 [&_th]:py-2.5 sm:[&_th]:px-3 [&_tr>:first-child]:pl-5 [&_tr>:last-child]:pr-5 [&_th]:font-medium [&_th]:text-muted-foreground">
          <thead>
            <tr className="border-b">
              <th scope="col">Customer</th>
              <th scope="col" className="hidden md:table-cell">
                Piece
              </th>
              <th scope="col" className="hidden sm:table-cell">
                Date
              </th>
              <th scope="col">Status</th>
              <th scope="col" className="text-right">
                Total
              </th>
            </tr>
          </thead>
          <tbody className="divide-y">
            {found.map((order) => (
              <tr key={order.id}>
                <td>
                  <span className="block font-medium">{order.customer}</span>
                  <span className="text-muted-foreground">#{order.id}</span>
                </td>
                <td className="hidden md:table-cell">{order.item}</td>
                <td className="hidden whitespace-nowrap sm:table-cell">{days.format(new Date(order.date))}</td>
                <td>
                  <Badge variant="outline" className={states[order.status].colour}>
                    {states[order.status].label}
                  </Badge>
                </td>
                <td className="text-right tabular-nums">{euros.format(order.total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
