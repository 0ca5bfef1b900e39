import { Card } from '@/components/Card'

export function Walks() {
  return (
    <section>
      <Card heading="Old town" text="Two hours, all of it flat." />
      <Card heading="Harbour" text="Three hours, with a ferry." />
    </section>
  )
}
