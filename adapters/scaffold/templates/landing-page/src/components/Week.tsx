import { site } from '@/content/site'

export function Week() {
  return (
    <section className="wrapper py-16 sm:py-24" id="week" aria-labelledby="week-title">
      <h2 id="week-title">A week with {site.name}</h2>
      <ol className="mt-10 grid gap-8 md:grid-cols-3">
        {site.week.map(({ day, title, text }) => (
          <li key={day} className="border-t-2 border-primary pt-4">
            <p className="text-sm text-muted-foreground">{day}</p>
            <h3 className="mt-1 text-xl">{title}</h3>
            <p className="mt-2 text-pretty text-muted-foreground">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}
