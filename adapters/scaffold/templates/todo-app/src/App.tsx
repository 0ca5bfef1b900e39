import { AddTodo } from '@/components/AddTodo'
import { Filters } from '@/components/Filters'
import { Progress } from '@/components/Progress'
import { TodoList } from '@/components/TodoList'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { useTodos } from '@/hooks/useTodos'

const today = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' }).format(new Date())

export default function App() {
  const { todos, visible, left, done, kept, filter, setFilter, add, toggle, remove, clearDone } = useTodos()
  return (
    <main className="mx-auto grid max-w-xl gap-6 px-4 py-8 sm:py-16">
      <header className="grid gap-1 px-1">
        <time className="text-sm text-muted-foreground">{today}</time>
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h1>My todos</h1>
          <p className="text-muted-foreground tabular-nums" aria-live="polite">
            {todos.length === 0 ? 'Nothing yet' : left === 0 ? 'All done' : `${left} left`}
          </p>
        </div>
      </header>
      <Card className="gap-0 overflow-hidden py-0">
        <Progress done={done} of={todos.length} />
        <AddTodo onAdd={add} />
        {!kept && (
          <p role="alert" className="border-t px-4 py-3 text-sm text-destructive">
            This browser does not store the list. It is gone when you close the page.
          </p>
        )}
        <TodoList todos={visible} filter={filter} onToggle={toggle} onRemove={remove} />
        {todos.length > 0 && (
          <div className="flex flex-wrap items-center justify-between gap-2 border-t px-3 py-2">
            <Filters value={filter} onChange={setFilter} />
            {done > 0 && (
              <Button variant="ghost" size="sm" className="text-muted-foreground" onClick={clearDone}>
                Clear {done} done
              </Button>
            )}
          </div>
        )}
      </Card>
    </main>
  )
}
