import { TrendingDown, TrendingUp } from '@/components/icons'
import { Card } from '@/components/ui/card'
import type { Figure } from '@/lib/data'
import { cn } from '@/lib/utils'

export function FigureCard({ figure: { label, value, change } }: { figure: Figure }) {
  const rising = change >= 0
  const Trend = rising ? TrendingUp : TrendingDown
  return (
    <Card className="gap-1 p-4 sm:p-5">
      <h2 className="text-sm text-muted-foreground">{label}</h2>
      <p className="text-2xl font-semibold tracking-tight tabular-nums sm:text-3xl">{value}</p>
      <p className={cn('flex items-center gap-1 text-sm tabular-nums', rising ? 'text-good' : 'text-destructive')}>
        <Trend className="size-4 shrink-0" />
        {Math.abs(change).toFixed(1)} % <span className="sr-only">{rising ? 'more' : 'less'} than last month</span>
      </p>
    </Card>
  )
}
