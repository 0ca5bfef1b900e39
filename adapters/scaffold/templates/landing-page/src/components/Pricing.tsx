import { site } from '@/content/site'

export function Pricing() {
  return (
    <section id="pricing" aria-labelledby="pricing-title">
      <h2 id="pricing-title">Simple pricing</h2>
      <ul className="grid">
        {site.plans.map((plan) => (
          <li key={plan.name} className="tile plan">
            <h3>{plan.name}</h3>
            <p className="price">
              <strong>{plan.price}</strong> {plan.per}
            </p>
            <ul>
              {plan.points.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  )
}
