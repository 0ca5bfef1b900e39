export interface Figure {
  label: string
  value: string
  /** The change against the month before, in percent. */
  change: number
}

export interface Order {
  id: string
  customer: string
  /** In euros. */
  total: number
  status: 'paid' | 'open' | 'refunded'
}

export const figures: Figure[] = [
  { label: 'Revenue', value: '€48,210', change: 12.4 },
  { label: 'Orders', value: '1,284', change: 5.1 },
  { label: 'Visitors', value: '32,907', change: -2.3 },
  { label: 'Conversion', value: '3.9 %', change: 0.6 },
]

/** Revenue of the last twelve months, in thousands of euros. */
export const revenue = [
  { month: 'Jan', value: 28 },
  { month: 'Feb', value: 31 },
  { month: 'Mar', value: 30 },
  { month: 'Apr', value: 35 },
  { month: 'May', value: 33 },
  { month: 'Jun', value: 38 },
  { month: 'Jul', value: 36 },
  { month: 'Aug', value: 40 },
  { month: 'Sep', value: 39 },
  { month: 'Oct', value: 44 },
  { month: 'Nov', value: 43 },
  { month: 'Dec', value: 48 },
]

export const orders: Order[] = [
  { id: '#1042', customer: 'Ada Lovelace', total: 129, status: 'paid' },
  { id: '#1041', customer: 'Grace Hopper', total: 74.5, status: 'open' },
  { id: '#1040', customer: 'Katherine Johnson', total: 310, status: 'paid' },
  { id: '#1039', customer: 'Edsger Dijkstra', total: 48, status: 'refunded' },
  { id: '#1038', customer: 'Barbara Liskov', total: 199.9, status: 'paid' },
]
