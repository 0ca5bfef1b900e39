import { Footer } from '@/components/Footer'

export default function App() {
  return (
    <main className="welcome">
      <h1>Fern</h1>
      <Footer />
    </main>
  )
}
