import { filters, type Filter } from '@/lib/types'

const labels: Record<Filter, string> = { all: 'All', open: 'Open', done: 'Done' }

export function Filters({ value, onChange }: { value: Filter; onChange: (filter: Filter) => void }) {
  return (
    <div className="filters mt-4 flex gap-1" role="group" aria-label="Show">
      {filters.map((filter) => (
        <button
          key={filter}
          type="button"
          className="rounded-full px-3.5 py-1 text-muted aria-pressed:bg-line aria-pressed:text-ink"
          aria-pressed={filter === value}
          onClick={() => onChange(filter)}
        >
          {labels[filter]}
        </button>
      ))}
    </div>
  )
}
