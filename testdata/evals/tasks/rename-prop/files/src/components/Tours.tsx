import { Card } from '@/components/Card'

export function Tours() {
  return (
    <section>
      <Card heading="By bicycle" text="Half a day along the coast." />
      <Card heading="By boat" text="Only in summer." />
    </section>
  )
}
