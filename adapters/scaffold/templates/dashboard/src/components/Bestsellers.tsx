import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import type { Product } from '@/lib/data'

export function Bestsellers({ products }: { products: Product[] }) {
  const most = Math.max(1, ...products.map(({ sold }) => sold))
  return (
    <Card>
      <CardHeader>
        <CardTitle>Bestsellers</CardTitle>
        <CardDescription>Pieces sold this month</CardDescription>
      </CardHeader>
      <CardContent>
        <ol className="grid gap-4">
          {products.map(({ name, sold }) => (
            <li key={name} className="grid gap-1.5">
              <span className="flex justify-between gap-3 text-sm">
                <span>{name}</span>
                <span className="text-muted-foreground tabular-nums">{sold}</span>
              </span>
              <span className="h-1.5 rounded-full bg-muted" aria-hidden="true">
                <span className="block h-full rounded-full bg-primary" style={{ width: `${(100 * sold) / most}%` }} />
              </span>
            </li>
          ))}
        </ol>
      </CardContent>
    </Card>
  )
}
