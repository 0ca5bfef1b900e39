import { useState } from 'react'
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useWidth } from '@/hooks/useWidth'
import type { Month } from '@/lib/data'

const height = 240
const margin = { top: 12, right: 14, bottom: 28, left: 40 }
/** The room that the name of a month takes, in pixels. */
const labelWidth = 36

/** A line chart, drawn as SVG as wide as there is room. */
export function RevenueChart({ months, className }: { months: Month[]; className?: string }) {
  const [box, width] = useWidth()
  const [active, setActive] = useState<number | null>(null)
  const highest = Math.ceil(Math.max(...months.map(({ revenue }) => revenue)) / 20) * 20
  const step = (width - margin.left - margin.right) / Math.max(1, months.length - 1)
  const every = Math.ceil(labelWidth / step)
  const x = (index: number) => margin.left + index * step
  const y = (value: number) => margin.top + (1 - value / highest) * (height - margin.top - margin.bottom)
  const line = months.map(({ revenue }, index) => `${index === 0 ? 'M' : 'L'}${x(index)},${y(revenue)}`).join('')
  const area = `${line}L${x(months.length - 1)},${y(0)}L${x(0)},${y(0)}Z`
  const shown = (active === null ? undefined : months[active]) ?? months.at(-1)

  return (
    <Card className={className}>
      <CardHeader className="flex flex-wrap items-start justify-between gap-x-4">
        <div className="grid gap-1">
          <CardTitle>Revenue</CardTitle>
          <CardDescription>In thousands of euros</CardDescription>
        </div>
        {shown && (
          <p className="text-sm tabular-nums" aria-live="polite">
            {shown.name} <strong className="text-lg font-semibold">€{shown.revenue}k</strong>
          </p>
        )}
      </CardHeader>
      <CardContent>
        <div ref={box}>
          <svg
            className="block w-full"
            viewBox={`0 0 ${width} ${height}`}
            height={height}
            role="img"
            aria-label={`Revenue by month: ${months.map(({ name, revenue }) => `${name} €${revenue}k`).join(', ')}`}
            onPointerLeave={() => setActive(null)}
          >
            {[0, highest / 2, highest].map((value) => (
              <g key={value}>
                <line className="stroke-border" x1={margin.left} x2={width - margin.right} y1={y(value)} y2={y(value)} />
                <text className="fill-muted-foreground text-xs" textAnchor="end" x={margin.left - 8} y={y(value) + 4}>
                  {value}
                </text>
              </g>
            ))}
            <path className="fill-primary/10" d={area} />
            <path className="fill-none stroke-primary stroke-2" d={line} />
            {months.map(({ name, revenue }, index) => (
              <g key={name} onPointerEnter={() => setActive(index)}>
                <rect x={x(index) - step / 2} y={0} width={step} height={height} fill="transparent" />
                <circle className="fill-card stroke-primary stroke-2" cx={x(index)} cy={y(revenue)} r={active === index ? 6 : 3.5} />
                {(months.length - 1 - index) % every === 0 && (
                  <text className="fill-muted-foreground text-xs" textAnchor="middle" x={x(index)} y={height - 8}>
                    {name}
                  </text>
                )}
              </g>
            ))}
          </svg>
        </div>
      </CardContent>
    </Card>
  )
}
