import { useState } from 'react'
import { Compass } from '@/components/icons'
import { Question } from '@/components/Question'
import { Result } from '@/components/Result'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { texts } from '@/texts'

export default function App() {
  /** The question that is shown: -1 before the first, the number of questions after the last. */
  const [at, setAt] = useState(-1)
  const [answers, setAnswers] = useState<number[]>([])
  const all = texts.questions.length
  const question = texts.questions[at]
  const points = answers.filter((answer, index) => answer === texts.questions[index]?.answer).length

  function restart() {
    setAnswers([])
    setAt(0)
  }

  return (
    <main className="mx-auto grid min-h-svh max-w-2xl content-start gap-6 px-4 py-8 sm:content-center sm:py-14">
      {at >= 0 && (
        <header className="flex items-center justify-between gap-4">
          <h1 className="flex items-center gap-2 text-lg">
            <Compass className="size-5 text-primary" /> {texts.title}
          </h1>
          {question && <p className="text-sm text-muted-foreground tabular-nums">{texts.points(points)}</p>}
        </header>
      )}
      {question && (
        <div className="grid gap-2">
          <p className="text-sm text-muted-foreground">{texts.question(at + 1, all)}</p>
          <div className="grid auto-cols-fr grid-flow-col gap-1" aria-hidden="true">
            {texts.questions.map(({ country }, index) => (
              <span key={country} className={`h-1.5 rounded-full ${index <= at ? 'bg-primary' : 'bg-secondary'}`} />
            ))}
          </div>
        </div>
      )}
      <Card className="p-6 sm:p-10">
        {at < 0 ? (
          <div className="grid justify-items-start gap-4 py-4">
            <Compass className="size-12 text-primary" />
            <h1 className="text-4xl sm:text-6xl">{texts.title}</h1>
            <p className="text-lg text-muted-foreground">{texts.lead}</p>
            <Button size="lg" className="mt-2" onClick={restart}>
              {texts.start}
            </Button>
          </div>
        ) : question ? (
          <Question
            key={at}
            question={question}
            given={answers[at]}
            last={at === all - 1}
            onAnswer={(choice) => setAnswers([...answers, choice])}
            onNext={() => setAt(at + 1)}
          />
        ) : (
          <Result answers={answers} points={points} onAgain={restart} />
        )}
      </Card>
    </main>
  )
}
