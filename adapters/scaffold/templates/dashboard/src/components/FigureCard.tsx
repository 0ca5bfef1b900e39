import type { Figure } from '@/lib/data'

export function FigureCard({ figure }: { figure: Figure }) {
  const rising = figure.change >= 0
  return (
    <article className="panel">
      <h2 className="font-medium text-muted">{figure.label}</h2>
      <p className="mt-1 text-2xl font-bold tracking-tight tabular-nums sm:text-3xl">{figure.value}</p>
      <p className={`text-sm ${rising ? 'text-good' : 'text-bad'}`}>
        <span aria-hidden="true">{rising ? '▲' : '▼'}</span> {Math.abs(figure.change).toFixed(1)} %{' '}
        <span className="sr-only">{rising ? 'more' : 'less'} than last month</span>
      </p>
    </article>
  )
}
