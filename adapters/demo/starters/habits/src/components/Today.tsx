import { useState, type FormEvent } from 'react'
import { Flame, Inbox, Plus, Trash2 } from '@/components/icons'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Checkbox, Input, Label } from '@/components/ui/input'
import { Empty } from '@/components/ui/states'
import { dayOf, streak, type Habit } from '@/lib/habits'
import { texts } from '@/texts'

interface Props {
  habits: Habit[]
  onToggle: (id: string) => void
  onAdd: (name: string) => void
  onRemove: (id: string) => void
}

export function Today({ habits, onToggle, onAdd, onRemove }: Props) {
  const [name, setName] = useState('')
  const today = dayOf(new Date())

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!name.trim()) return
    onAdd(name.trim())
    setName('')
  }

  return (
    <Card className="gap-0 py-0">
      <CardTitle className="border-b px-5 py-4 text-lg">{texts.today}</CardTitle>
      {habits.length === 0 ? (
        <Empty icon={<Inbox />} title={texts.emptyTitle}>
          {texts.emptyHint}
        </Empty>
      ) : (
        <ul className="divide-y">
          {habits.map((habit) => (
            <li key={habit.id} className="flex items-center gap-2 pr-2 pl-5">
              <label className="flex min-w-0 flex-1 items-center gap-4 py-4">
                <Checkbox className="size-6" checked={habit.days.includes(today)} onChange={() => onToggle(habit.id)} />
                <span className="min-w-0">
                  <span className="block font-medium wrap-anywhere">{habit.name}</span>
                  <span className="flex items-center gap-1 text-sm text-muted-foreground">
                    <Flame className="size-4 shrink-0" /> {texts.streak(streak(habit.days))}
                  </span>
                </span>
              </label>
              <Button
                variant="ghost"
                size="icon"
                className="text-muted-foreground hover:text-destructive"
                aria-label={texts.remove(habit.name)}
                onClick={() => onRemove(habit.id)}
              >
                <Trash2 />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form className="flex gap-2 border-t p-4" onSubmit={submit}>
        <Label className="sr-only" htmlFor="habit">
          {texts.newHabit}
        </Label>
        <Input id="habit" value={name} onChange={(event) => setName(event.target.value)} placeholder={texts.placeholder} maxLength={80} />
        <Button type="submit" variant="secondary">
          <Plus /> {texts.add}
        </Button>
      </form>
    </Card>
  )
}
