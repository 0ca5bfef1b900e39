import { useState } from 'react'
import { ChevronLeft, ChevronRight } from '@/components/icons'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { dayOf, type Habit } from '@/lib/habits'
import { cn } from '@/lib/utils'
import { texts } from '@/texts'

const monthName = new Intl.DateTimeFormat(texts.language, { month: 'long', year: 'numeric' })
const dayName = new Intl.DateTimeFormat(texts.language, { day: 'numeric', month: 'long' })
const weekday = new Intl.DateTimeFormat(texts.language, { weekday: 'short' })

/** How dark a day is, by the part of the habits that were done. */
function shade(part: number): string {
  if (part === 0) return 'bg-muted text-muted-foreground'
  if (part < 0.5) return 'bg-primary/20'
  if (part < 1) return 'bg-primary/35'
  return 'bg-primary text-primary-foreground'
}

/** A month, Monday first. */
export function Calendar({ habits }: { habits: Habit[] }) {
  const now = new Date()
  const [back, setBack] = useState(0)
  const first = new Date(now.getFullYear(), now.getMonth() - back, 1)
  const length = new Date(first.getFullYear(), first.getMonth() + 1, 0).getDate()
  const days = Array.from({ length }, (_, index) => new Date(first.getFullYear(), first.getMonth(), index + 1))

  return (
    <Card className="gap-4 p-5">
      <div className="flex items-center justify-between gap-2">
        <CardTitle className="text-lg">
          <span className="sr-only">{texts.calendar}: </span>
          {monthName.format(first)}
        </CardTitle>
        <div className="flex gap-1">
          <Button variant="ghost" size="icon" aria-label={texts.before} onClick={() => setBack(back + 1)}>
            <ChevronLeft />
          </Button>
          <Button variant="ghost" size="icon" aria-label={texts.after} disabled={back === 0} onClick={() => setBack(back - 1)}>
            <ChevronRight />
          </Button>
        </div>
      </div>
      <div className="grid grid-cols-7 gap-1.5 text-center text-xs text-muted-foreground" aria-hidden="true">
        {Array.from({ length: 7 }, (_, day) => (
          <span key={day}>{weekday.format(new Date(2024, 0, 1 + day))}</span>
        ))}
      </div>
      <ol className="grid grid-cols-7 gap-1.5">
        {days.map((date, index) => {
          const done = habits.filter((habit) => habit.days.includes(dayOf(date))).length
          return (
            <li
              key={index}
              className={cn(
                'grid aspect-square place-items-center rounded-lg text-sm tabular-nums',
                shade(habits.length === 0 ? 0 : done / habits.length),
                dayOf(date) === dayOf(now) && 'outline-2 outline-offset-2 outline-ring',
              )}
              style={index === 0 ? { gridColumnStart: ((date.getDay() + 6) % 7) + 1 } : undefined}
            >
              <span aria-hidden="true">{date.getDate()}</span>
              <span className="sr-only">{texts.dayDone(dayName.format(date), done)}</span>
            </li>
          )
        })}
      </ol>
      <p className="text-sm text-muted-foreground">{texts.hint}</p>
    </Card>
  )
}
