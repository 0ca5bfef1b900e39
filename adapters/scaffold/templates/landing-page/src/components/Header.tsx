import { Compass } from '@/components/icons'
import { buttonVariants } from '@/components/ui/button'
import { site } from '@/content/site'

export function Header() {
  return (
    <header className="border-b">
      <a className="sr-only focus:not-sr-only focus:absolute focus:bg-background focus:p-4" href="#content">
        Skip to content
      </a>
      <div className="wrapper flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-4">
        <a className="flex items-center gap-2 text-lg font-semibold tracking-tight" href="#top">
          <Compass className="size-6 text-signal" />
          {site.name}
        </a>
        <nav className="order-last flex w-full gap-5 text-sm text-muted-foreground sm:order-none sm:w-auto sm:gap-7 [&>a]:py-1 [&>a]:hover:text-foreground" aria-label="Main">
          <a href="#features">Features</a>
          <a href="#pricing">Pricing</a>
          <a href="#questions">Questions</a>
        </nav>
        <a className={buttonVariants({ variant: 'outline', size: 'sm' })} href={site.action.href}>
          {site.action.label}
        </a>
      </div>
    </header>
  )
}
