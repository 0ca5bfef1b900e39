export function Navigation() {
  return (
    <nav aria-label="Main">
      <a href="#routes">Our routes</a>
    </nav>
  )
}
