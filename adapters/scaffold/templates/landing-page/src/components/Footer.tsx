import { site } from '@/content/site'

export function Footer() {
  return (
    <footer className="wrapper py-10 text-sm text-muted">
      © {new Date().getFullYear()} {site.name}
    </footer>
  )
}
