import { site } from '@/content/site'

export function Questions() {
  return (
    <section className="wrapper py-10 sm:py-16" id="questions" aria-labelledby="questions-title">
      <h2 id="questions-title">Questions</h2>
      {site.questions.map(({ question, answer }) => (
        <details key={question} className="border-b border-line py-4">
          <summary className="cursor-pointer font-semibold">{question}</summary>
          <p className="mt-2 text-muted">{answer}</p>
        </details>
      ))}
    </section>
  )
}
