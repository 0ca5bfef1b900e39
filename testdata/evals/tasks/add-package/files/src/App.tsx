import { useState } from 'react'

export default function App() {
  const [open, setOpen] = useState(false)
  return (
    <main className={'welcome' + (open ? ' is-open' : '')}>
      <h1>Hello there</h1>
      <button type="button" onClick={() => setOpen((value) => !value)}>
        More
      </button>
    </main>
  )
}
