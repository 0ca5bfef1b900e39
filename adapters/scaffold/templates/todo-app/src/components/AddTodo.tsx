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
    <form className="mt-5 flex gap-2" onSubmit={submit}>
      <label className="sr-only" htmlFor="new-todo">
        New todo
      </label>
      <input
        id="new-todo"
        className="min-w-0 flex-1 rounded-xl border border-line px-4 py-2.5 placeholder:text-muted"
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder="What needs doing?"
        autoComplete="off"
        maxLength={200}
      />
      <button
        type="submit"
        className="rounded-xl bg-accent px-4 py-2.5 font-semibold text-on-accent disabled:bg-line disabled:text-muted"
        disabled={!text.trim()}
      >
        Add
      </button>
    </form>
  )
}
