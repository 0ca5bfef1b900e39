import { useState } from 'react'
import { useWidth } from '@/hooks/useWidth'

interface Point {
  month: string
  value: number
}

const height = 260
const margin = { top: 16, right: 14, bottom: 28, left: 14 }
/** The room that the name of a month takes, in pixels. */
const labelWidth = 36

/** A line chart, drawn as SVG as wide as there is room. */
export function RevenueChart({ points }: { points: Point[] }) {
  const [figure, width] = useWidth()
  const [active, setActive] = useState<number | null>(null)
  const highest = Math.max(...points.map((point) => point.value)) * 1.1
  const step = (width - margin.left - margin.right) / Math.max(1, points.length - 1)
  const every = Math.ceil(labelWidth / step)
  const x = (index: number) => margin.left + index * step
  const y = (value: number) => margin.top + (1 - value / highest) * (height - margin.top - margin.bottom)
  const line = points.map((point, index) => `${index === 0 ? 'M' : 'L'}${x(index)},${y(point.value)}`).join('')
  const area = `${line}L${x(points.length - 1)},${y(0)}L${x(0)},${y(0)}Z`
  const shown = active === null ? points.at(-1) : points[active]

  return (
    <figure className="panel" ref={figure}>
      <figcaption className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="font-semibold">Revenue</h2>
        {shown && (
          <p aria-live="polite">
            {shown.month}: <strong>€{shown.value}k</strong>
          </p>
        )}
      </figcaption>
      <svg
        className="block w-full"
        viewBox={`0 0 ${width} ${height}`}
        height={height}
        role="img"
        aria-label="Revenue by month"
        onPointerLeave={() => setActive(null)}
      >
        <path className="fill-accent/12" d={area} />
        <path className="fill-none stroke-accent stroke-[2.5]" d={line} />
        {points.map((point, index) => (
          <g key={point.month} onPointerEnter={() => setActive(index)}>
            <rect x={x(index) - step / 2} y={0} width={step} height={height} fill="transparent" />
            <circle className="fill-surface stroke-accent stroke-2" cx={x(index)} cy={y(point.value)} r={active === index ? 6 : 3.5} />
            {(points.length - 1 - index) % every === 0 && (
              <text className="fill-muted text-[0.8rem]" textAnchor="middle" x={x(index)} y={height - 8}>
                {point.month}
              </text>
            )}
          </g>
        ))}
      </svg>
    </figure>
  )
}
