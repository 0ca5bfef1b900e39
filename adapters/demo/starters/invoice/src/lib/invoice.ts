import { texts } from '@/texts'

export interface Item {
  what: string
  quantity: number
  price: number
}

export interface Invoice {
  from: string
  to: string
  number: string
  /** As YYYY-MM-DD. */
  date: string
  /** In days. */
  due: number
  /** In percent. */
  tax: number
  items: Item[]
}

export function newInvoice(): Invoice {
  return { ...texts.sample, date: new Date().toISOString().slice(0, 10) }
}

/** The sums, rounded to cents. */
export function sums({ items, tax }: Invoice) {
  const cents = (value: number) => Math.round(value * 100) / 100
  const net = cents(items.reduce((sum, { quantity, price }) => sum + quantity * price, 0))
  const taxed = cents((net * tax) / 100)
  return { net, taxed, total: cents(net + taxed) }
}

/** The last day on which to pay; undefined if the date is not one. */
export function dueDate({ date, due }: Invoice): Date | undefined {
  const day = new Date(`${date}T00:00:00`)
  day.setDate(day.getDate() + due)
  return Number.isNaN(day.getTime()) ? undefined : day
}
