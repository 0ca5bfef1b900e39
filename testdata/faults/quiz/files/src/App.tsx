import { useState } from 'react'

interface Question {
  text: string
  choices: string[]
  right: number
}

const questions: Question[] = [
  { text: 'Which planet is closest to the sun?', choices: ['Venus', 'Mercury', 'Mars'], right: 1 },
  { text: 'How many moons has Mars?', choices: ['None', 'One', 'Two'], right: 2 },
  { text: 'Which planet has the largest rings?', choices: ['Saturn', 'Uranus', 'Neptune'], right: 0 },
]

interface Result {
  player: string
  score: number
}

export default function App() {
  const [player, setPlayer] = useState('')
  const [started, setStarted] = useState(false)
  const [at, setAt] = useState(0)
  const [chosen, setChosen] = useState<number | null>(null)
  const [score, setScore] = useState(0)
  const [results, setResults] = useState<Result[]>([])

  const question = questions[at]
  const finished = at >= questions.length

  function start() {
    setAt(0)
    setScore(0)
    setChosen(null)
    setStarted(true)
  }

  function choose(choice: number) {
    if (chosen !== null) return
    setChosen(choice)
    if (choice === question.right) setScore(score + 1)
  }

  function next() {
    setChosen(null)
    if (at + 1 === questions.length) {
      const all = [...results, { player: player || 'Anonymous', score }]
      setResults(all.sort((a, b) => b.score - a.score))
    }
    setAt(at + 1)
  }

  if (!started) {
    return (
      <main className="p-6">
        <h1>Planet quiz</h1>
        <label>
          Your name
          <input value={player} onChange={(event) => setPlayer(event.target.value)} />
        </label>
        <button type="button" onClick={start}>
          Start
        </button>
      </main>
    )
  }
  if (finished) {
    return (
      <main className="p-6">
        <h1>
          {score} of {questions.length} right
        </h1>
        <p>{score === questions.length ? 'Perfect!' : 'Try once more.'}</p>
        <h2>Best results</h2>
        <ol>
          {results.map((result, place) => (
            <li key={place}>
              {result.player}: {result.score}
            </li>
          ))}
        </ol>
        <button type="button" onClick={start}>
          Play again
        </button>
        <button type="button" onClick={() => setStarted(false)}>
          Change player
        </button>
      </main>
    )
  }
  return (
    <main className="p-6">
      <p>
        Question {at + 1} of {questions.length}
      </p>
      <progress aria-label="Progress" value={at} max={questions.length} />
      <h1>{question.text}</h1>
      {question.choices.map((choice, index) => (
        <button key={choice} type="button" aria-pressed={chosen === index} onClick={() => choose(index)}>
          {choice}
        </button>
      ))}
      {chosen !== null && <p role="status">{chosen === question.right ? 'Right!' : `Wrong: it is ${question.choices[question.right]}.`}</p>}
      <button type="button" disabled={chosen === null} onClick={next}>
        Next
      </button>
    </main>
  )
}
