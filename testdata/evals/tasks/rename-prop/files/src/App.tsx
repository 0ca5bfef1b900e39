import { Card } from '@/components/Card'
import { Tours } from '@/components/Tours'
import { Walks } from '@/components/Walks'

export default function App() {
  return (
    <main>
      <h1>See the city</h1>
      <Card heading="Guides wanted" text="Write to us." />
      <Walks />
      <Tours />
    </main>
  )
}
