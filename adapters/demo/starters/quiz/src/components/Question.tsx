import { Check, X } from '@/components/icons'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/utils'
import { texts } from '@/texts'

interface Props {
  question: (typeof texts.questions)[number]
  /** The place of the choice that was given. */
  given: number | undefined
  last: boolean
  onAnswer: (choice: number) => void
  onNext: () => void
}

/** A question and, once it is answered, what was right. */
export function Question({ question, given, last, onAnswer, onNext }: Props) {
  const answered = given !== undefined
  return (
    <div className="grid gap-6">
      <h2 className="text-2xl sm:text-3xl">{texts.ask(question.country)}</h2>
      <ul className="grid gap-3 sm:grid-cols-2">
        {question.choices.map((choice, index) => {
          const right = index === question.answer
          return (
            <li key={choice}>
              <Button
                variant="outline"
                className={cn(
                  'h-14 w-full justify-between text-base disabled:opacity-100',
                  answered && right && 'border-2 border-success text-success',
                  given === index && !right && 'border-2 border-destructive text-destructive',
                )}
                disabled={answered}
                onClick={() => onAnswer(index)}
              >
                {choice}
                {answered && right && <Check />}
                {given === index && !right && <X />}
              </Button>
            </li>
          )
        })}
      </ul>
      <div className="flex min-h-12 flex-wrap items-center justify-between gap-3" aria-live="polite">
        {answered && (
          <>
            <p className="font-medium">{given === question.answer ? texts.right : texts.wrong(question.choices[question.answer] ?? '')}</p>
            <Button size="lg" autoFocus onClick={onNext}>
              {last ? texts.finish : texts.next}
            </Button>
          </>
        )}
      </div>
    </div>
  )
}
