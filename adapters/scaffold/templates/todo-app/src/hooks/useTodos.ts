import { useEffect, useState } from 'react'
import { loadTodos, saveTodos } from '@/lib/storage'
import type { Filter, Todo } from '@/lib/types'

/** The items of the list, what is shown of them, and what can be done with them. `kept` is whether the browser stores them. */
export function useTodos() {
  const [todos, setTodos] = useState<Todo[]>(loadTodos)
  const [filter, setFilter] = useState<Filter>('all')

  const [kept, setKept] = useState(true)

  useEffect(() => setKept(saveTodos(todos)), [todos])

  const done = todos.filter((todo) => todo.done).length
  return {
    todos,
    kept,
    visible: todos.filter((todo) => filter === 'all' || todo.done === (filter === 'done')),
    done,
    left: todos.length - done,
    filter,
    setFilter,
    add: (text: string) => setTodos((all) => [...all, { id: newId(), text, done: false }]),
    toggle: (id: string) => setTodos((all) => all.map((todo) => (todo.id === id ? { ...todo, done: !todo.done } : todo))),
    remove: (id: string) => setTodos((all) => all.filter((todo) => todo.id !== id)),
    clearDone: () => setTodos((all) => all.filter((todo) => !todo.done)),
  }
}

/** Unique in this list; crypto.randomUUID exists only on secure origins. */
function newId(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
}
