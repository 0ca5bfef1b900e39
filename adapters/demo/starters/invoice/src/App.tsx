import { useState } from 'react'
import { Form } from '@/components/Form'
import { Printer } from '@/components/icons'
import { Sheet } from '@/components/Sheet'
import { Button } from '@/components/ui/button'
import { newInvoice } from '@/lib/invoice'
import { texts } from '@/texts'

export default function App() {
  const [invoice, setInvoice] = useState(newInvoice)
  return (
    <main className="mx-auto grid max-w-7xl gap-6 px-4 py-6 sm:px-6 sm:py-10 print:p-0">
      <header className="flex flex-wrap items-center justify-between gap-4 print:hidden">
        <div>
          <h1 className="text-3xl sm:text-4xl">{texts.title}</h1>
          <p className="mt-1 text-muted-foreground">{texts.lead}</p>
        </div>
        <Button onClick={() => window.print()}>
          <Printer /> {texts.print}
        </Button>
      </header>
      <div className="grid items-start gap-8 lg:grid-cols-2 print:block">
        <Form invoice={invoice} onChange={setInvoice} />
        <Sheet invoice={invoice} />
      </div>
    </main>
  )
}
