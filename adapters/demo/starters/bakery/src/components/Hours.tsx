import { Clock } from '@/components/icons'
import { cn } from '@/lib/utils'
import { texts } from '@/texts'

const dayName = new Intl.DateTimeFormat(texts.language, { weekday: 'long' })
/** The 7th of January 2024 was a Sunday. */
const nameOf = (day: number) => dayName.format(new Date(2024, 0, 7 + day))
const mondayFirst = [1, 2, 3, 4, 5, 6, 0]

/** Says whether the bakery is open, and if not, when it opens. */
export function OpenNow() {
  const now = new Date()
  const time = `${String(now.getHours()).padStart(2, '0')}:${String(now.getMinutes()).padStart(2, '0')}`
  const today = texts.week[now.getDay()]
  const open = today && today[0] <= time && time < today[1]
  const days = Array.from({ length: 8 }, (_, ahead) => ({ ahead, hours: texts.week[(now.getDay() + ahead) % 7] }))
  const next = days.find(({ ahead, hours }) => hours && (ahead > 0 || time < hours[0]))
  return (
    <p className="flex items-center gap-2 font-medium">
      <Clock className={cn('size-5', open ? 'text-primary' : 'text-muted-foreground')} />
      {open
        ? texts.openUntil(today[1])
        : next?.hours && texts.opensAt(next.ahead === 0 ? texts.todayWord : nameOf((now.getDay() + next.ahead) % 7), next.hours[0])}
    </p>
  )
}

export function Hours() {
  const today = new Date().getDay()
  return (
    <section aria-labelledby="hours" className="rounded-2xl bg-card p-6 sm:p-8">
      <h2 id="hours" className="text-3xl">
        {texts.hours}
      </h2>
      <dl className="mt-5 grid gap-2.5">
        {mondayFirst.map((day) => {
          const hours = texts.week[day]
          return (
            <div key={day} className={cn('flex justify-between gap-4', day === today ? 'font-semibold' : 'text-muted-foreground')}>
              <dt>{nameOf(day)}</dt>
              <dd className="tabular-nums">{hours ? `${hours[0]} – ${hours[1]}` : texts.closed}</dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}
