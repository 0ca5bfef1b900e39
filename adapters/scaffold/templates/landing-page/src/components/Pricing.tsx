import { Check } from '@/components/icons'
import { Badge } from '@/components/ui/badge'
import { buttonVariants } from '@/components/ui/button'
import { Card, CardContent, CardFooter, CardHeader, CardTitle } from '@/components/ui/card'
import { site } from '@/content/site'
import { cn } from '@/lib/utils'

export function Pricing() {
  return (
    <section className="border-y bg-card" id="pricing" aria-labelledby="pricing-title">
      <div className="wrapper grid gap-10 py-16 sm:py-24 lg:grid-cols-[1fr_2fr]">
        <div>
          <h2 id="pricing-title">Simple pricing</h2>
          <p className="mt-3 text-pretty text-muted-foreground">Pay for people, not for projects. Change or cancel at the end of any month.</p>
        </div>
        <ul className="grid gap-5 sm:grid-cols-2">
          {site.plans.map((plan) => (
            <li key={plan.name} className="grid">
              <Card className={cn('bg-background', plan.best && 'border-2 border-primary')}>
                <CardHeader className="gap-2">
                  <div className="flex items-center justify-between gap-2">
                    <CardTitle as="h3">{plan.name}</CardTitle>
                    {plan.best && <Badge>For growing teams</Badge>}
                  </div>
                  <p className="text-muted-foreground">
                    <strong className="text-4xl font-semibold tracking-tight text-foreground">{plan.price}</strong> {plan.per}
                  </p>
                </CardHeader>
                <CardContent className="grow">
                  <ul className="grid gap-2 text-sm">
                    {plan.points.map((point) => (
                      <li key={point} className="flex gap-2">
                        <Check className="mt-0.5 size-4 shrink-0 text-primary" />
                        {point}
                      </li>
                    ))}
                  </ul>
                </CardContent>
                <CardFooter>
                  <a className={cn(buttonVariants({ variant: plan.best ? 'default' : 'outline' }), 'w-full')} href={plan.href}>
                    {plan.action}
                  </a>
                </CardFooter>
              </Card>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
