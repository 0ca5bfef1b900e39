import { Check, RotateCcw, X } from '@/components/icons'
import { Button } from '@/components/ui/button'
import { texts } from '@/texts'

/** The points, and every question with its answer. */
export function Result({ answers, points, onAgain }: { answers: number[]; points: number; onAgain: () => void }) {
  const all = texts.questions.length
  const praise = texts.praise[points === all ? 3 : points >= 7 ? 2 : points >= 4 ? 1 : 0]
  return (
    <div className="grid gap-6">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <div>
          <h2 className="text-5xl tabular-nums sm:text-6xl">{texts.result(points, all)}</h2>
          <p className="mt-2 text-muted-foreground">{praise}</p>
        </div>
        <Button size="lg" onClick={onAgain}>
          <RotateCcw /> {texts.again}
        </Button>
      </div>
      <ol className="divide-y border-y" aria-label={texts.answers}>
        {texts.questions.map(({ country, choices, answer }, index) => {
          const given = answers[index]
          const right = given === answer
          return (
            <li key={country} className="flex items-start gap-3 py-3">
              {right ? <Check className="mt-0.5 size-5 shrink-0 text-success" /> : <X className="mt-0.5 size-5 shrink-0 text-destructive" />}
              <span className="min-w-0">
                {country}: <strong className="font-semibold">{choices[answer]}</strong>
                {!right && <span className="block text-sm text-muted-foreground">{texts.yours(given === undefined ? '–' : (choices[given] ?? '–'))}</span>}
              </span>
            </li>
          )
        })}
      </ol>
    </div>
  )
}
