import { Check, X } from '@/components/icons'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/utils'
import { texts } from '@/texts'

interface Props {
  question: (typeof texts.questions)[number]
  given: string | undefined
  last: boolean
  onAnswer: (choice: string) => void
  onNext: () => void
}

/** A question and, once it is answered, what was right. */
export function Question({ question, given, last, onAnswer, onNext }: Props) {
  return (
    <div className="grid gap-6">
      <h2 className="text-2xl sm:text-3xl">{texts.ask(question.country)}</h2>
      <ul className="grid gap-3 sm:grid-cols-2">
        {question.choices.map((choice) => {
          const right = choice === question.answer
          return (
            <li key={choice}>
              <Button
                variant="outline"
                className={cn(
                  'h-14 w-full justify-between text-base disabled:opacity-100',
                  given && right && 'border-2 border-success text-success',
                  given === choice && !right && 'border-2 border-destructive text-destructive',
                )}
                disabled={given !== undefined}
                onClick={() => onAnswer(choice)}
              >
                {choice}
                {given && right && <Check />}
                {given === choice && !right && <X />}
              </Button>
            </li>
          )
        })}
      </ul>
      <div className="flex min-h-12 flex-wrap items-center justify-between gap-3" aria-live="polite">
        {given && (
          <>
            <p className="font-medium">{given === question.answer ? texts.right : texts.wrong(question.answer)}</p>
            <Button size="lg" autoFocus onClick={onNext}>
              {last ? texts.finish : texts.next}
            </Button>
          </>
        )}
      </div>
    </div>
  )
}
