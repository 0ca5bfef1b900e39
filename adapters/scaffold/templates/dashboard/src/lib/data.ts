export interface Figure {
  label: string
  value: string
  /** The change against the month before, in percent. */
  change: number
}

export interface Month {
  name: string
  /** In thousands of euros. */
  revenue: number
}

export interface Product {
  name: string
  sold: number
}

export interface Order {
  id: string
  customer: string
  item: string
  /** As YYYY-MM-DD. */
  date: string
  /** In euros. */
  total: number
  status: 'paid' | 'open' | 'refunded'
}

export interface Overview {
  figures: Figure[]
  months: Month[]
  products: Product[]
  orders: Order[]
}

/** Loads all that the page shows. These are samples: fetch your own data here. */
export async function loadOverview(): Promise<Overview> {
  return samples
}

const samples: Overview = {
  figures: [
    { label: 'Revenue', value: '€48,210', change: 12.4 },
    { label: 'Orders', value: '1,284', change: 5.1 },
    { label: 'Visitors', value: '32,907', change: -2.3 },
    { label: 'Conversion', value: '3.9 %', change: 0.6 },
  ],
  months: [
    { name: 'Jan', revenue: 28 },
    { name: 'Feb', revenue: 31 },
    { name: 'Mar', revenue: 30 },
    { name: 'Apr', revenue: 35 },
    { name: 'May', revenue: 33 },
    { name: 'Jun', revenue: 38 },
    { name: 'Jul', revenue: 36 },
    { name: 'Aug', revenue: 40 },
    { name: 'Sep', revenue: 39 },
    { name: 'Oct', revenue: 44 },
    { name: 'Nov', revenue: 43 },
    { name: 'Dec', revenue: 48 },
  ],
  products: [
    { name: 'Breakfast bowl, oat', sold: 312 },
    { name: 'Espresso cup, pair', sold: 268 },
    { name: 'Tall vase, rust', sold: 190 },
    { name: 'Serving plate, sand', sold: 154 },
    { name: 'Salt cellar', sold: 97 },
  ],
  orders: [
    { id: '1042', customer: 'Amara Diallo', item: 'Breakfast bowl, oat', date: '2025-12-18', total: 129, status: 'paid' },
    { id: '1041', customer: 'Piotr Nowak', item: 'Espresso cup, pair', date: '2025-12-18', total: 74.5, status: 'open' },
    { id: '1040', customer: 'Lucía Ortega', item: 'Tall vase, rust', date: '2025-12-17', total: 310, status: 'paid' },
    { id: '1039', customer: 'Henrik Dahl', item: 'Salt cellar', date: '2025-12-16', total: 48, status: 'refunded' },
    { id: '1038', customer: 'Mei Tanaka', item: 'Serving plate, sand', date: '2025-12-15', total: 199.9, status: 'paid' },
    { id: '1037', customer: 'Noah Fischer', item: 'Espresso cup, pair', date: '2025-12-15', total: 37.25, status: 'paid' },
  ],
}
