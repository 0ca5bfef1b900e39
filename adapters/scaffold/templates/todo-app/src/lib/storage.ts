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

/** Stores the items. Private windows may refuse storage: it then returns false, and the list lasts as long as the page. */
export function saveTodos(todos: Todo[]): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(todos))
    return true
  } catch {
    return false
  }
}

function isTodo(value: unknown): value is Todo {
  const todo = value as Partial<Todo> | null
  return typeof todo?.id === 'string' && typeof todo.text === 'string' && typeof todo.done === 'boolean'
}
