import { useState } from 'react'
import { CircleAlert } from '@/components/icons'
import { Bestsellers } from '@/components/Bestsellers'
import { FigureCard } from '@/components/FigureCard'
import { Loading } from '@/components/Loading'
import { OrderTable } from '@/components/OrderTable'
import { RevenueChart } from '@/components/RevenueChart'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Label, Select } from '@/components/ui/input'
import { Empty } from '@/components/ui/states'
import { useOverview } from '@/hooks/useOverview'

export default function App() {
  const { overview, failed, retry } = useOverview()
  const [span, setSpan] = useState(12)
  return (
    <main className="mx-auto grid w-full max-w-6xl gap-4 px-4 py-6 sm:gap-5 sm:px-6 sm:py-10">
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div>
          <p className="text-sm text-muted-foreground">Kiln &amp; Clay, Lisbon</p>
          <h1 className="text-3xl font-semibold tracking-tight">Overview</h1>
        </div>
        <div className="flex items-center gap-2">
          <Label className="text-muted-foreground" htmlFor="span">
            Show
          </Label>
          <Select id="span" className="w-auto" value={span} onChange={(event) => setSpan(Number(event.target.value))}>
            <option value={12}>12 months</option>
            <option value={6}>6 months</option>
            <option value={3}>3 months</option>
          </Select>
        </div>
      </header>
      {failed ? (
        <Card role="alert">
          <Empty icon={<CircleAlert />} title="The figures could not be loaded">
            <p>Check your connection. Nothing is lost.</p>
            <Button variant="outline" className="mt-4" onClick={retry}>
              Try again
            </Button>
          </Empty>
        </Card>
      ) : overview ? (
        <>
          <section className="grid grid-cols-2 gap-4 sm:gap-5 lg:grid-cols-4" aria-label="Key figures">
            {overview.figures.map((figure) => (
              <FigureCard key={figure.label} figure={figure} />
            ))}
          </section>
          <div className="grid gap-4 sm:gap-5 lg:grid-cols-3">
            <RevenueChart className="lg:col-span-2" months={overview.months.slice(-span)} />
            <Bestsellers products={overview.products} />
          </div>
          <OrderTable orders={overview.orders} />
        </>
      ) : (
        <Loading />
      )}
    </main>
  )
}
