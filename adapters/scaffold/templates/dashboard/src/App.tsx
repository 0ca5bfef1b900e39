import { FigureCard } from '@/components/FigureCard'
import { OrderTable } from '@/components/OrderTable'
import { RevenueChart } from '@/components/RevenueChart'
import { figures, orders, revenue } from '@/lib/data'

export default function App() {
  return (
    <main>
      <header>
        <h1>Overview</h1>
        <p>The last twelve months at a glance.</p>
      </header>
      <section className="figures" aria-label="Key figures">
        {figures.map((figure) => (
          <FigureCard key={figure.label} figure={figure} />
        ))}
      </section>
      <RevenueChart points={revenue} />
      <OrderTable orders={orders} />
    </main>
  )
}
