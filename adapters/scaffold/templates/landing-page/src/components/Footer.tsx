import { site } from '@/content/site'

export function Footer() {
  return (
    <footer>
      © {new Date().getFullYear()} {site.name}
    </footer>
  )
}
