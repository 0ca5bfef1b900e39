import { useState, type FormEvent } from 'react'

export function AddTodo({ onAdd }: { onAdd: (text: string) => void }) {
  const [text, setText] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    const trimmed = text.trim()
    if (!trimmed) return
    onAdd(trimmed)
    setText('')
  }

  return (
    <form className="add" onSubmit={submit}>
      <label className="visually-hidden" htmlFor="new-todo">
        New todo
      </label>
      <input
        id="new-todo"
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder="What needs doing?"
        autoComplete="off"
        maxLength={200}
      />
      <button type="submit" disabled={!text.trim()}>
        Add
      </button>
    </form>
  )
}
