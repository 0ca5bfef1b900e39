import { useState } from 'react'

interface Product {
  id: string
  name: string
  price: number
  kind: 'Mug' | 'Plate' | 'Bowl'
}

const products: Product[] = [
  { id: 'moss', name: 'Moss mug', price: 24, kind: 'Mug' },
  { id: 'dune', name: 'Dune plate', price: 32, kind: 'Plate' },
  { id: 'tide', name: 'Tide bowl', price: 28, kind: 'Bowl' },
  { id: 'clay', name: 'Clay mug', price: 19, kind: 'Mug' },
]

const kinds = ['All', 'Mug', 'Plate', 'Bowl'] as const
const freeShipping = 60
const shippingPrice = 5

function money(amount: number) {
  return `$${amount.toFixed(2)}`
}

export default function App() {
  const [kind, setKind] = useState<(typeof kinds)[number]>('All')
  const [order, setOrder] = useState('name')
  const [query, setQuery] = useState('')
  const [cart, setCart] = useState<Record<string, number>>({})
  const [ordered, setOrdered] = useState(false)

  const shown = products
    .filter((product) => kind === 'All' || product.kind === kind)
    .filter((product) => product.name.toLowerCase().includes(query.toLowerCase()))
    .sort((a, b) => (order === 'price' ? a.price - b.price : a.name.localeCompare(b.name)))

  const lines = products.filter((product) => (cart[product.id] ?? 0) > 0)
  const subtotal = lines.reduce((sum, product) => sum + product.price * cart[product.id], 0)
  const shipping = subtotal === 0 || subtotal >= freeShipping ? 0 : shippingPrice
  const pieces = lines.reduce((sum, product) => sum + cart[product.id], 0)

  function change(id: string, by: number) {
    setCart({ ...cart, [id]: Math.max(0, (cart[id] ?? 0) + by) })
    setOrdered(false)
  }

  function checkOut() {
    setCart({})
    setOrdered(true)
  }

  return (
    <main className="mx-auto max-w-3xl p-6">
      <h1 className="text-2xl font-semibold">Kiln and Table</h1>
      <p>Cart: {pieces}</p>
      <label>
        Search
        <input type="search" value={query} onChange={(event) => setQuery(event.target.value)} />
      </label>
      <label>
        Kind
        <select value={kind} onChange={(event) => setKind(event.target.value as (typeof kinds)[number])}>
          {kinds.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        Sort by
        <select value={order} onChange={(event) => setOrder(event.target.value)}>
          <option value="name">Name</option>
          <option value="price">Price</option>
        </select>
      </label>
      <ul>
        {shown.map((product) => (
          <li key={product.id}>
            <h2>{product.name}</h2>
            <p>{money(product.price)}</p>
            <button type="button" aria-label={`Add ${product.name}`} onClick={() => change(product.id, 1)}>
              Add
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p>No product fits.</p>}
      <section aria-label="Cart">
        <h2>Your cart</h2>
        {lines.map((product) => (
          <p key={product.id}>
            {cart[product.id]} × {product.name}
            <button type="button" aria-label={`Remove one ${product.name}`} onClick={() => change(product.id, -1)}>
              Remove
            </button>
          </p>
        ))}
        <p>Shipping: {money(shipping)}</p>
        <p>Total: {money(subtotal + shipping)}</p>
        <button type="button" disabled={pieces === 0} onClick={checkOut}>
          Check out
        </button>
        {ordered && <p role="status">Thank you for your order.</p>}
      </section>
    </main>
  )
}
