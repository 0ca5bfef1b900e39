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
  if (todos.length === 0) return <p className="empty">{empty[filter]}</p>
  return (
    <ul className="todos">
      {todos.map((todo) => (
        <li key={todo.id}>
          <label>
            <input type="checkbox" checked={todo.done} onChange={() => onToggle(todo.id)} />
            <span>{todo.text}</span>
          </label>
          <button type="button" className="remove" aria-label={`Remove ${todo.text}`} onClick={() => onRemove(todo.id)}>
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
              <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
            </svg>
          </button>
        </li>
      ))}
    </ul>
  )
}
