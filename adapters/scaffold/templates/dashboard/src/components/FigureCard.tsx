import type { Figure } from '@/lib/data'

export function FigureCard({ figure }: { figure: Figure }) {
  const rising = figure.change >= 0
  return (
    <article className="panel figure">
      <h2>{figure.label}</h2>
      <p className="value">{figure.value}</p>
      <p className={rising ? 'change up' : 'change down'}>
        <span aria-hidden="true">{rising ? '▲' : '▼'}</span> {Math.abs(figure.change).toFixed(1)} %{' '}
        <span className="visually-hidden">{rising ? 'more' : 'less'} than last month</span>
      </p>
    </article>
  )
}
