import { filters, type Filter } from '@/lib/types'

const labels: Record<Filter, string> = { all: 'All', open: 'Open', done: 'Done' }

export function Filters({ value, onChange }: { value: Filter; onChange: (filter: Filter) => void }) {
  return (
    <div className="filters" role="group" aria-label="Show">
      {filters.map((filter) => (
        <button key={filter} type="button" aria-pressed={filter === value} onClick={() => onChange(filter)}>
          {labels[filter]}
        </button>
      ))}
    </div>
  )
}
