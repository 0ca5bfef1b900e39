import { SummerBanner } from '@/components/SummerBanner'

export default function App() {
  return (
    <main className="welcome">
      <SummerBanner />
      <h1>Fern</h1>
      <p>Plants for every room.</p>
    </main>
  )
}
