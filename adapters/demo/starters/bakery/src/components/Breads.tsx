import { Badge } from '@/components/ui/badge'
import { texts } from '@/texts'

const price = new Intl.NumberFormat(texts.language, { style: 'currency', currency: texts.currency })

export function Breads() {
  return (
    <section aria-labelledby="breads" className="grid gap-x-12 gap-y-6 border-t py-12 sm:py-16 lg:grid-cols-[1fr_2fr]">
      <div>
        <h2 id="breads" className="text-3xl">
          {texts.breads}
        </h2>
        <p className="mt-3 max-w-[40ch] text-pretty text-muted-foreground">{texts.breadsHint}</p>
      </div>
      <ul className="grid gap-x-10 sm:grid-cols-2">
        {texts.items.map((item) => (
          <li key={item.name} className="flex items-baseline justify-between gap-4 border-b py-4">
            <span className="min-w-0">
              <span className="block text-lg font-medium">{item.name}</span>
              <span className="text-sm text-muted-foreground">{item.note}</span>
            </span>
            {item.left ? (
              <span className="text-lg tabular-nums">{price.format(item.price)}</span>
            ) : (
              <Badge variant="secondary">{texts.soldOut}</Badge>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
