import { ArrowRight } from '@/components/icons'
import { Timeline } from '@/components/Timeline'
import { buttonVariants } from '@/components/ui/button'
import { site } from '@/content/site'

export function Hero() {
  return (
    <section className="wrapper grid items-center gap-12 py-14 sm:py-20 lg:grid-cols-[1fr_1.05fr] lg:gap-16 lg:py-28" id="top">
      <div>
        <h1 className="text-[clamp(2.5rem,7vw,4.25rem)] leading-[1.03] font-semibold tracking-tight text-balance">{site.headline}</h1>
        <p className="mt-6 max-w-[52ch] text-lg text-pretty text-muted-foreground">{site.lead}</p>
        <div className="mt-8 flex flex-wrap gap-3">
          <a className={buttonVariants({ size: 'lg' })} href={site.action.href}>
            {site.action.label} <ArrowRight />
          </a>
          <a className={buttonVariants({ variant: 'outline', size: 'lg' })} href={site.secondAction.href}>
            {site.secondAction.label}
          </a>
        </div>
        <p className="mt-4 text-sm text-muted-foreground">{site.assurance}</p>
      </div>
      <Timeline />
    </section>
  )
}
