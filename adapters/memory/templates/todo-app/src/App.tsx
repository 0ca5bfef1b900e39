import { useState } from 'react'

export default function App() {
  const [todos, setTodos] = useState<string[]>([])
  const [text, setText] = useState('')
  return (
    <main>
      <h1>My todos</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          setTodos([...todos, text])
          setText('')
        }}
      >
        <input aria-label="New todo" value={text} onChange={(event) => setText(event.target.value)} />
        <button>Add</button>
      </form>
      <ul>
        {todos.map((todo, index) => (
          <li key={index}>{todo}</li>
        ))}
      </ul>
    </main>
  )
}
