import { site } from '@/content/site'

export function Pricing() {
  return (
    <section className="wrapper py-10 sm:py-16" id="pricing" aria-labelledby="pricing-title">
      <h2 id="pricing-title">Simple pricing</h2>
      <ul className="grid gap-4 sm:grid-cols-2">
        {site.plans.map((plan) => (
          <li key={plan.name} className="rounded-2xl border border-line bg-surface p-6">
            <h3>{plan.name}</h3>
            <p className="text-muted">
              <strong className="text-3xl text-ink">{plan.price}</strong> {plan.per}
            </p>
            <ul className="mt-4 space-y-1">
              {plan.points.map((point) => (
                <li key={point} className="flex gap-2 before:text-accent before:content-['✓']">
                  {point}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  )
}
