import { site } from '@/content/site'

export function Questions() {
  return (
    <section id="questions" aria-labelledby="questions-title">
      <h2 id="questions-title">Questions</h2>
      {site.questions.map(({ question, answer }) => (
        <details key={question}>
          <summary>{question}</summary>
          <p>{answer}</p>
        </details>
      ))}
    </section>
  )
}
