import { Plus } from '@/components/icons'
import { site } from '@/content/site'

export function Questions() {
  return (
    <section className="wrapper grid gap-10 py-16 sm:py-24 lg:grid-cols-[1fr_2fr]" id="questions" aria-labelledby="questions-title">
      <h2 id="questions-title">Questions</h2>
      <div className="divide-y border-y">
        {site.questions.map(({ question, answer }) => (
          <details key={question} className="group py-4">
            <summary className="flex list-none items-center justify-between gap-4 font-medium [&::-webkit-details-marker]:hidden">
              {question}
              <Plus className="size-5 shrink-0 text-muted-foreground transition-transform group-open:rotate-45" />
            </summary>
            <p className="mt-2 max-w-[65ch] text-pretty text-muted-foreground">{answer}</p>
          </details>
        ))}
      </div>
    </section>
  )
}
