import type { ReactNode } from 'react'
import { Plus, Trash2 } from '@/components/icons'
import { Button } from '@/components/ui/button'
import { Input, Label, Textarea } from '@/components/ui/input'
import { Empty } from '@/components/ui/states'
import type { Invoice, Item } from '@/lib/invoice'
import { texts } from '@/texts'

function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Label className="grid min-w-0 gap-1.5">
      {label}
      {children}
    </Label>
  )
}

const numberOf = (text: string) => Math.max(0, Number(text) || 0)

/** What the invoice says, to be changed. */
export function Form({ invoice, onChange }: { invoice: Invoice; onChange: (invoice: Invoice) => void }) {
  const set = (part: Partial<Invoice>) => onChange({ ...invoice, ...part })
  const setItem = (at: number, part: Partial<Item>) =>
    set({ items: invoice.items.map((item, index) => (index === at ? { ...item, ...part } : item)) })

  return (
    <form className="grid gap-5 print:hidden" onSubmit={(event) => event.preventDefault()}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={texts.from}>
          <Textarea className="min-h-24" value={invoice.from} onChange={(event) => set({ from: event.target.value })} />
        </Field>
        <Field label={texts.to}>
          <Textarea className="min-h-24" value={invoice.to} onChange={(event) => set({ to: event.target.value })} />
        </Field>
        <Field label={texts.number}>
          <Input value={invoice.number} onChange={(event) => set({ number: event.target.value })} />
        </Field>
        <Field label={texts.date}>
          <Input type="date" value={invoice.date} onChange={(event) => set({ date: event.target.value })} />
        </Field>
        <Field label={texts.due}>
          <Input type="number" min={0} value={invoice.due} onChange={(event) => set({ due: numberOf(event.target.value) })} />
        </Field>
        <Field label={texts.tax}>
          <Input type="number" min={0} value={invoice.tax} onChange={(event) => set({ tax: numberOf(event.target.value) })} />
        </Field>
      </div>
      <div className="grid gap-3">
        <h2 className="text-lg">{texts.items}</h2>
        {invoice.items.length === 0 && <Empty title={texts.noItems}>{texts.noItemsHint}</Empty>}
        {invoice.items.map((item, index) => (
          <fieldset key={index} className="grid grid-cols-[1fr_1fr_auto] items-end gap-2 border-t pt-3 sm:grid-cols-[3fr_1fr_1fr_auto]">
            <legend className="sr-only">{texts.item(index + 1)}</legend>
            <div className="col-span-3 sm:col-span-1">
              <Field label={texts.what}>
                <Input value={item.what} onChange={(event) => setItem(index, { what: event.target.value })} />
              </Field>
            </div>
            <Field label={texts.quantity}>
              <Input type="number" min={0} step="any" value={item.quantity} onChange={(event) => setItem(index, { quantity: numberOf(event.target.value) })} />
            </Field>
            <Field label={texts.price}>
              <Input type="number" min={0} step="any" value={item.price} onChange={(event) => setItem(index, { price: numberOf(event.target.value) })} />
            </Field>
            <Button
              variant="ghost"
              size="icon"
              className="text-muted-foreground hover:text-destructive"
              aria-label={texts.removeItem(index + 1)}
              onClick={() => set({ items: invoice.items.filter((_, at) => at !== index) })}
            >
              <Trash2 />
            </Button>
          </fieldset>
        ))}
        <Button variant="secondary" className="w-fit" onClick={() => set({ items: [...invoice.items, { what: '', quantity: 1, price: 0 }] })}>
          <Plus /> {texts.addItem}
        </Button>
      </div>
    </form>
  )
}
