import { useState } from 'react'
import logo from '@/logo.svg'
import styles from '@/App.module.css'

export default function App() {
  const [count, setCount] = useState(0)
  return (
    <main className={styles.page}>
      <img className={styles.logo} src={logo} alt="" width="96" height="96" />
      <h1>Vite + React</h1>
      <button className={styles.counter} type="button" onClick={() => setCount((value) => value + 1)}>
        count is {count}
      </button>
      <p>
        Edit <code>src/App.tsx</code> and save to see it change.
      </p>
    </main>
  )
}
