import type { Todo } from '@/lib/types'

const key = 'todos'

/** The stored items; none when there are none, or when storage is not allowed. */
export function loadTodos(): Todo[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isTodo) : []
  } catch {
    return []
  }
}

export function saveTodos(todos: Todo[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(todos))
  } catch {
    // Private windows may refuse storage: the list then lasts as long as the page.
  }
}

function isTodo(value: unknown): value is Todo {
  const todo = value as Partial<Todo> | null
  return typeof todo?.id === 'string' && typeof todo.text === 'string' && typeof todo.done === 'boolean'
}
