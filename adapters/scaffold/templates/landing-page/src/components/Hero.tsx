import { site } from '@/content/site'

const button = 'rounded-full border px-6 py-3 font-semibold transition hover:opacity-85'

export function Hero() {
  return (
    <section className="wrapper pt-16 pb-14 text-center sm:pt-32 sm:pb-24" id="top">
      <h1 className="mx-auto max-w-[16ch] text-[clamp(2.5rem,8vw,4.75rem)] leading-none font-extrabold tracking-tighter text-balance">
        {site.headline}
      </h1>
      <p className="mx-auto mt-6 max-w-xl text-lg text-balance text-muted sm:text-xl">{site.lead}</p>
      <p className="mt-8 flex flex-wrap justify-center gap-3">
        <a className={`${button} border-transparent bg-accent text-on-accent`} href={site.action.href}>
          {site.action.label}
        </a>
        <a className={`${button} border-muted/55`} href={site.secondAction.href}>
          {site.secondAction.label}
        </a>
      </p>
    </section>
  )
}
