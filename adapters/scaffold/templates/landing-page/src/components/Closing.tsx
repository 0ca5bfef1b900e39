import { ArrowRight } from '@/components/icons'
import { buttonVariants } from '@/components/ui/button'
import { site } from '@/content/site'
import { cn } from '@/lib/utils'

export function Closing() {
  return (
    <section className="wrapper pb-16 sm:pb-24" aria-labelledby="closing-title">
      <div className="grid gap-6 rounded-2xl bg-band px-6 py-12 text-band-foreground sm:px-12 sm:py-16 md:grid-cols-[1fr_auto] md:items-center">
        <div>
          <h2 id="closing-title">{site.closing.title}</h2>
          <p className="mt-3 text-pretty opacity-90">{site.closing.text}</p>
        </div>
        <a className={cn(buttonVariants({ size: 'lg' }), 'w-fit bg-band-foreground text-band hover:bg-band-foreground/90')} href={site.action.href}>
          {site.action.label} <ArrowRight />
        </a>
      </div>
    </section>
  )
}
