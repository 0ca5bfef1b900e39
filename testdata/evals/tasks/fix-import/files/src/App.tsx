import { Navigation } from '@/components/Navigation'

export default function App() {
  return (
    <main className="welcome">
      <Navigation />
      <h1>Harbour walks</h1>
    </main>
  )
}
