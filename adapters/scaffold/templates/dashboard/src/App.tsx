import { FigureCard } from '@/components/FigureCard'
import { OrderTable } from '@/components/OrderTable'
import { RevenueChart } from '@/components/RevenueChart'
import { figures, orders, revenue } from '@/lib/data'

export default function App() {
  return (
    <main className="mx-auto grid w-full max-w-6xl gap-4 px-4 py-5 sm:py-12">
      <header>
        <h1 className="text-3xl font-bold tracking-tight sm:text-4xl">Overview</h1>
        <p className="text-muted">The last twelve months at a glance.</p>
      </header>
      <section className="grid grid-cols-2 gap-4 lg:grid-cols-4" aria-label="Key figures">
        {figures.map((figure) => (
          <FigureCard key={figure.label} figure={figure} />
        ))}
      </section>
      <RevenueChart points={revenue} />
      <OrderTable orders={orders} />
    </main>
  )
}
