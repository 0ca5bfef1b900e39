export function Footer() {
  return <footer>Fern, Harbour Street 5</footer>
}
