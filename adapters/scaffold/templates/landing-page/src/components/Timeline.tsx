import { Badge } from '@/components/ui/badge'
import { Card } from '@/components/ui/card'
import { site } from '@/content/site'
import { cn } from '@/lib/utils'

const bars: Record<string, string> = {
  done: 'bg-primary/25',
  now: 'bg-primary',
  next: 'border border-dashed border-muted-foreground/60',
  goal: 'bg-signal',
}

/** The product at work. Its caption is what it says to those who do not see it. */
export function Timeline() {
  const { title, due, rows, today, caption } = site.timeline
  return (
    <figure>
      <Card className="gap-0 py-0 shadow-xl shadow-foreground/5">
        <div className="flex items-center justify-between gap-3 border-b px-5 py-4">
          <p className="font-semibold">{title}</p>
          <Badge variant="secondary">{due}</Badge>
        </div>
        <div className="relative px-5 py-2" aria-hidden="true">
          <ul>
            {rows.map(({ task, who, from, to, state }) => (
              <li key={task} className="grid grid-cols-[6.5rem_1fr] items-center gap-3 py-2.5 sm:grid-cols-[8rem_1fr]">
                <span className="min-w-0 leading-tight">
                  <span className="block text-sm font-medium">{task}</span>
                  <span className="text-xs text-muted-foreground">{who}</span>
                </span>
                <span className="relative grid h-8 grid-cols-12 items-center rounded-md bg-muted">
                  <span className={cn('h-full rounded-md', bars[state])} style={{ gridColumn: `${from} / ${to}`, gridRow: 1 }} />
                  <span className="h-8 border-l-2 border-signal" style={{ gridColumn: today, gridRow: 1 }} />
                </span>
              </li>
            ))}
          </ul>
        </div>
        <p className="flex items-center gap-2 border-t px-5 py-3 text-xs text-muted-foreground" aria-hidden="true">
          <span className="h-3 border-l-2 border-signal" /> Today: two tasks under way, nothing late
        </p>
      </Card>
      <figcaption className="sr-only">{caption}</figcaption>
    </figure>
  )
}
