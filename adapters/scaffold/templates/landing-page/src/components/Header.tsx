import { site } from '@/content/site'

export function Header() {
  return (
    <header className="bar">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <a className="brand" href="#top">
        {site.name}
      </a>
      <nav aria-label="Main">
        <a href="#features">Features</a>
        <a href="#pricing">Pricing</a>
        <a href="#questions">Questions</a>
      </nav>
    </header>
  )
}
