import { site } from '@/content/site'

export function Features() {
  return (
    <section className="wrapper py-10 sm:py-16" id="features" aria-labelledby="features-title">
      <h2 id="features-title">Made for the long run</h2>
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {site.features.map((feature) => (
          <li key={feature.title} className="rounded-2xl border border-line bg-surface p-6">
            <h3>{feature.title}</h3>
            <p className="text-muted">{feature.text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
