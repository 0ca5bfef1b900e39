import { useEffect, useState, type FormEvent } from 'react'

interface Task {
  id: number
  title: string
  done: boolean
}

type Filter = 'all' | 'open' | 'done'

const filters: { value: Filter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'open', label: 'Open' },
  { value: 'done', label: 'Done' },
]

function stored(): Task[] {
  try {
    return JSON.parse(localStorage.getItem('tasks') ?? '[]')
  } catch {
    return []
  }
}

function matches(task: Task, filter: Filter) {
  if (filter === 'all') return true
  return filter === 'done' ? task.done : !task.done
}

export default function App() {
  const [tasks, setTasks] = useState<Task[]>(stored)
  const [title, setTitle] = useState('')
  const [filter, setFilter] = useState<Filter>('all')
  const [error, setError] = useState('')

  useEffect(() => {
    localStorage.setItem('tasks', JSON.stringify(tasks))
  }, [tasks])

  const shown = tasks.filter((task) => matches(task, filter))
  const open = tasks.filter((task) => !task.done).length

  function add(event: FormEvent) {
    event.preventDefault()
    const text = title.trim()
    if (text === '') {
      setError('Enter a title.')
      return
    }
    const id = tasks.reduce((highest, task) => Math.max(highest, task.id), 0) + 1
    setTasks([...tasks, { id, title: text, done: false }])
    setTitle('')
    setError('')
  }

  function toggle(id: number) {
    setTasks(tasks.map((task) => (task.id === id ? { ...task, done: !task.done } : task)))
  }

  function remove(id: number) {
    setTasks(tasks.filter((task) => task.id !== id))
  }

  function clearDone() {
    setTasks(tasks.filter((task) => !task.done))
  }

  return (
    <main className="mx-auto max-w-xl p-6">
      <h1 className="text-2xl font-semibold">Tasks</h1>
      <form onSubmit={add} className="mt-4 flex gap-2">
        <label className="flex-1">
          New task
          <input value={title} onChange={(event) => setTitle(event.target.value)} className="w-full border" />
        </label>
        <button type="submit">Add</button>
      </form>
      {error && <p role="alert">{error}</p>}
      <p>{open === 1 ? '1 task left' : `${open} tasks left`}</p>
      <div role="group" aria-label="Show">
        {filters.map((one) => (
          <button key={one.value} type="button" aria-pressed={filter === one.value} onClick={() => setFilter(one.value)}>
            {one.label}
          </button>
        ))}
      </div>
      <ul>
        {shown.map((task) => (
          <li key={task.id}>
            <label>
              <input type="checkbox" checked={task.done} onChange={() => toggle(task.id)} />
              {task.title}
            </label>
            <button type="button" aria-label={`Delete ${task.title}`} onClick={() => remove(task.id)}>
              Delete
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p>Nothing here.</p>}
      <button type="button" onClick={clearDone}>
        Clear done
      </button>
    </main>
  )
}
