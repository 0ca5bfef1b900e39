import { site } from '@/content/site'

export function Footer() {
  return (
    <footer className="border-t">
      <div className="wrapper flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-8 text-sm text-muted-foreground">
        <p>
          © {new Date().getFullYear()} {site.name}
        </p>
        <a className="py-1 underline-offset-4 hover:text-foreground hover:underline" href="mailto:hello@northwind.example">
          hello@northwind.example
        </a>
      </div>
    </footer>
  )
}
