import { Bell, Download, FileText, Route } from '@/components/icons'
import { site } from '@/content/site'

const icons = [Route, FileText, Bell, Download]

export function Features() {
  return (
    <section className="border-y bg-card" id="features" aria-labelledby="features-title">
      <div className="wrapper grid gap-10 py-16 sm:py-24 lg:grid-cols-[1fr_2fr]">
        <h2 id="features-title">Made for the long run</h2>
        <ul className="grid gap-x-10 gap-y-9 sm:grid-cols-2">
          {site.features.map(({ title, text }, index) => {
            const Icon = icons[index % icons.length]!
            return (
              <li key={title}>
                <Icon className="mb-3 size-6 text-primary" />
                <h3>{title}</h3>
                <p className="mt-1 text-pretty text-muted-foreground">{text}</p>
              </li>
            )
          })}
        </ul>
      </div>
    </section>
  )
}
