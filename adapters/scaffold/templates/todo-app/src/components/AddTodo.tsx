import { useState, type FormEvent } from 'react'
import { Plus } from '@/components/icons'
import { Button } from '@/components/ui/button'
import { Input, Label } from '@/components/ui/input'

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
    <form className="flex gap-2 p-4" onSubmit={submit}>
      <Label className="sr-only" htmlFor="new-todo">
        New todo
      </Label>
      <Input
        id="new-todo"
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder="What needs doing?"
        autoComplete="off"
        maxLength={200}
      />
      <Button type="submit" disabled={!text.trim()}>
        <Plus /> Add
      </Button>
    </form>
  )
}
