import { Button } from '@/components/ui/button'
import { filters, type Filter } from '@/lib/types'

const labels: Record<Filter, string> = { all: 'All', open: 'Open', done: 'Done' }

export function Filters({ value, onChange }: { value: Filter; onChange: (filter: Filter) => void }) {
  return (
    <div className="filters flex gap-1" role="group" aria-label="Show">
      {filters.map((filter) => (
        <Button
          key={filter}
          variant="ghost"
          size="sm"
          className="text-muted-foreground aria-pressed:bg-secondary aria-pressed:text-secondary-foreground"
          aria-pressed={filter === value}
          onClick={() => onChange(filter)}
        >
          {labels[filter]}
        </Button>
      ))}
    </div>
  )
}
