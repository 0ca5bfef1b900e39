import { useState } from 'react'

export default function App() {
  const [count, setCount] = useState(0)

  function addTwo() {
    setCount(count + 1)
    setCount(count + 1)
  }

  return (
    <main className="welcome">
      <h1>Counter</h1>
      <p>The count is {count}</p>
      <button type="button" onClick={addTwo}>
        Add two
      </button>
    </main>
  )
}
