import { AddTodo } from '@/components/AddTodo'
import { Filters } from '@/components/Filters'
import { TodoList } from '@/components/TodoList'
import { useTodos } from '@/hooks/useTodos'

export default function App() {
  const { visible, left, done, filter, setFilter, add, toggle, remove, clearDone } = useTodos()
  return (
    <main className="card">
      <header className="card-header">
        <h1>My todos</h1>
        <p aria-live="polite">{left === 0 ? 'All done' : `${left} left`}</p>
      </header>
      <AddTodo onAdd={add} />
      <Filters value={filter} onChange={setFilter} />
      <TodoList todos={visible} filter={filter} onToggle={toggle} onRemove={remove} />
      {done > 0 && (
        <footer>
          <button type="button" className="link" onClick={clearDone}>
            Clear {done} done
          </button>
        </footer>
      )}
    </main>
  )
}
