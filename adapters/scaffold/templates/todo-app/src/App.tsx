import { AddTodo } from '@/components/AddTodo'
import { Filters } from '@/components/Filters'
import { TodoList } from '@/components/TodoList'
import { useTodos } from '@/hooks/useTodos'

export default function App() {
  const { visible, left, done, filter, setFilter, add, toggle, remove, clearDone } = useTodos()
  return (
    <main className="mx-auto max-w-xl rounded-3xl bg-surface p-5 shadow-card sm:p-8">
      <header className="flex items-baseline justify-between gap-4">
        <h1>My todos</h1>
        <p className="text-muted" aria-live="polite">
          {left === 0 ? 'All done' : `${left} left`}
        </p>
      </header>
      <AddTodo onAdd={add} />
      <Filters value={filter} onChange={setFilter} />
      <TodoList todos={visible} filter={filter} onToggle={toggle} onRemove={remove} />
      {done > 0 && (
        <footer>
          <button type="button" className="mt-4 text-muted underline hover:text-ink" onClick={clearDone}>
            Clear {done} done
          </button>
        </footer>
      )}
    </main>
  )
}
