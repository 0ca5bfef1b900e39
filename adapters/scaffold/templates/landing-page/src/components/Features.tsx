import { site } from '@/content/site'

export function Features() {
  return (
    <section id="features" aria-labelledby="features-title">
      <h2 id="features-title">Made for the long run</h2>
      <ul className="grid">
        {site.features.map((feature) => (
          <li key={feature.title} className="tile">
            <h3>{feature.title}</h3>
            <p>{feature.text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
