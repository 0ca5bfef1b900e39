import { site } from '@/content/site'

export function Header() {
  return (
    <header className="wrapper flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-5">
      <a className="sr-only focus:not-sr-only" href="#content">
        Skip to content
      </a>
      <a className="font-extrabold tracking-tight" href="#top">
        {site.name}
      </a>
      <nav className="flex gap-4 text-sm text-muted sm:gap-7 [&>a]:hover:text-accent" aria-label="Main">
        <a href="#features">Features</a>
        <a href="#pricing">Pricing</a>
        <a href="#questions">Questions</a>
      </nav>
    </header>
  )
}
