import { Inbox, Trash2 } from '@/components/icons'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/input'
import { Empty } from '@/components/ui/states'
import type { Filter, Todo } from '@/lib/types'

const empty: Record<Filter, { title: string; hint: string }> = {
  all: { title: 'A clear day', hint: 'Write down the first thing that comes to mind. It stays in this browser.' },
  open: { title: 'Nothing left to do', hint: 'Everything on the list is ticked off. Well done!' },
  done: { title: 'Nothing done yet', hint: 'What you tick off waits here until you clear it.' },
}

interface Props {
  todos: Todo[]
  filter: Filter
  onToggle: (id: string) => void
  onRemove: (id: string) => void
}

export function TodoList({ todos, filter, onToggle, onRemove }: Props) {
  if (todos.length === 0) {
    return (
      <Empty className="border-t" icon={<Inbox />} title={empty[filter].title}>
        {empty[filter].hint}
      </Empty>
    )
  }
  return (
    <ul className="todos divide-y border-t">
      {todos.map((todo) => (
        <li key={todo.id} className="flex items-center gap-2 pr-2 pl-4">
          <label className="flex min-w-0 flex-1 items-center gap-3 py-3">
            <Checkbox className="peer" checked={todo.done} onChange={() => onToggle(todo.id)} />
            <span className="min-w-0 wrap-anywhere peer-checked:text-muted-foreground peer-checked:line-through">{todo.text}</span>
          </label>
          <Button
            variant="ghost"
            size="icon"
            className="remove text-muted-foreground hover:text-destructive"
            aria-label={`Remove ${todo.text}`}
            onClick={() => onRemove(todo.id)}
          >
            <Trash2 />
          </Button>
        </li>
      ))}
    </ul>
  )
}
