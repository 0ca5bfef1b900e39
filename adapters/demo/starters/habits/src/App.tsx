import { useEffect, useState } from 'react'
import { Calendar } from '@/components/Calendar'
import { Today } from '@/components/Today'
import { dayOf, loadHabits, saveHabits } from '@/lib/habits'
import { texts } from '@/texts'

export default function App() {
  const [habits, setHabits] = useState(loadHabits)
  useEffect(() => saveHabits(habits), [habits])

  const today = dayOf(new Date())
  const done = habits.filter(({ days }) => days.includes(today)).length

  function toggle(id: string) {
    setHabits((all) =>
      all.map((habit) => {
        if (habit.id !== id) return habit
        const days = habit.days.includes(today) ? habit.days.filter((day) => day !== today) : [...habit.days, today]
        return { ...habit, days }
      }),
    )
  }

  return (
    <main className="mx-auto grid max-w-5xl gap-6 px-4 py-8 sm:px-6 sm:py-14">
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div>
          <h1 className="text-4xl sm:text-5xl">{texts.title}</h1>
          <p className="mt-2 text-muted-foreground" aria-live="polite">
            {habits.length > 0 && texts.lead(done, habits.length)}
          </p>
        </div>
        <div className="flex gap-1.5" aria-hidden="true">
          {habits.map(({ id, days }) => (
            <span key={id} className={`h-2 w-8 rounded-full ${days.includes(today) ? 'bg-primary' : 'bg-secondary'}`} />
          ))}
        </div>
      </header>
      <div className="grid items-start gap-6 md:grid-cols-2">
        <Today
          habits={habits}
          onToggle={toggle}
          onAdd={(name) => setHabits((all) => [...all, { id: `${Date.now()}`, name, days: [] }])}
          onRemove={(id) => setHabits((all) => all.filter((habit) => habit.id !== id))}
        />
        <Calendar habits={habits} />
      </div>
    </main>
  )
}
