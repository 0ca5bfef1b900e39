import type { Filter, Todo } from '@/lib/types'

const empty: Record<Filter, string> = {
  all: 'Nothing to do yet. Add your first todo above.',
  open: 'Nothing left to do. Well done!',
  done: 'Nothing done yet.',
}

interface Props {
  todos: Todo[]
  filter: Filter
  onToggle: (id: string) => void
  onRemove: (id: string) => void
}

export function TodoList({ todos, filter, onToggle, onRemove }: Props) {
  if (todos.length === 0) return <p className="pt-10 pb-6 text-center text-balance text-muted">{empty[filter]}</p>
  return (
    <ul className="todos mt-3 divide-y divide-line">
      {todos.map((todo) => (
        <li key={todo.id} className="flex items-center gap-2">
          <label className="flex min-w-0 flex-1 cursor-pointer items-center gap-3 py-3">
            <input
              type="checkbox"
              className="peer size-5 flex-none accent-accent"
              checked={todo.done}
              onChange={() => onToggle(todo.id)}
            />
            <span className="min-w-0 wrap-anywhere peer-checked:text-muted peer-checked:line-through">{todo.text}</span>
          </label>
          <button
            type="button"
            className="remove grid size-9 flex-none place-items-center rounded-lg text-muted hover:text-danger"
            aria-label={`Remove ${todo.text}`}
            onClick={() => onRemove(todo.id)}
          >
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
              <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
            </svg>
          </button>
        </li>
      ))}
    </ul>
  )
}
