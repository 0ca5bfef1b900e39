import { useState } from 'react'
import { CircleAlert, Mail, Trash2 } from '@/components/icons'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Empty, Skeleton } from '@/components/ui/states'
import { removeEntry, type Entry } from '@/lib/data'
import { texts } from '@/texts'

interface Props {
  /** Null while they load. */
  entries: Entry[] | null
  failed: boolean
  /** The id of who is signed in. */
  me?: string
  onChange: () => void
}

export function Entries({ entries, failed, me, onChange }: Props) {
  const [problem, setProblem] = useState('')

  function remove(id: string) {
    setProblem('')
    removeEntry(id).then(onChange, (error: Error) => setProblem(error.message))
  }

  if (failed && !entries) {
    return (
      <Empty icon={<CircleAlert />} title={texts.failedTitle}>
        <Button variant="outline" onClick={onChange}>
          {texts.again}
        </Button>
      </Empty>
    )
  }
  if (!entries) return <Skeleton className="h-40" />
  if (entries.length === 0) {
    return (
      <Card className="py-0">
        <Empty icon={<Mail />} title={texts.emptyTitle}>
          {texts.emptyHint}
        </Empty>
      </Card>
    )
  }
  return (
    <div className="grid gap-3">
      {problem && (
        <p role="alert" className="text-sm text-destructive">
          {problem}
        </p>
      )}
      <ul aria-label={texts.entries} className="grid gap-3">
        {entries.map((entry) => (
          <li key={entry.id} className="flex items-start gap-3 rounded-xl border bg-card p-4">
            <div className="min-w-0 flex-1">
              <p className="text-lg text-pretty whitespace-pre-wrap wrap-anywhere">{entry.text}</p>
              <p className="mt-2 text-sm text-muted-foreground">
                <span className="font-medium text-foreground">{entry.expand?.author?.name ?? texts.somebody}</span>, {dayOf(entry.created)}
              </p>
            </div>
            {entry.author === me && (
              <Button
                variant="ghost"
                size="icon"
                className="text-muted-foreground hover:text-destructive"
                aria-label={texts.remove}
                onClick={() => remove(entry.id)}
              >
                <Trash2 />
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

function dayOf(created: string): string {
  return new Date(created).toLocaleDateString(texts.language, { dateStyle: 'long' })
}
