import { dueDate, sums, type Invoice } from '@/lib/invoice'
import { texts } from '@/texts'

const money = new Intl.NumberFormat(texts.language, { style: 'currency', currency: texts.currency })
const day = new Intl.DateTimeFormat(texts.language, { dateStyle: 'long' })

/** The invoice as it is printed. */
export function Sheet({ invoice }: { invoice: Invoice }) {
  const { net, taxed, total } = sums(invoice)
  const due = dueDate(invoice)
  const date = dueDate({ ...invoice, due: 0 })
  return (
    <section
      aria-label={texts.sheet}
      className="grid content-start gap-8 rounded-lg border bg-card p-6 shadow-lg shadow-foreground/5 sm:p-10 print:rounded-none print:border-0 print:p-0 print:shadow-none"
    >
      <div className="flex flex-wrap justify-between gap-6 text-sm">
        <p className="whitespace-pre-line text-muted-foreground">{invoice.from}</p>
        <div className="sm:text-right">
          <p className="text-2xl font-semibold tracking-tight text-primary">{texts.title}</p>
          <p className="tabular-nums">{invoice.number}</p>
          <p className="text-muted-foreground">{date && day.format(date)}</p>
        </div>
      </div>
      <p className="whitespace-pre-line">{invoice.to}</p>
      <table className="w-full text-sm [&_td]:py-2.5 [&_td]:align-top [&_th]:pb-2 [&_th]:font-medium [&_th]:text-muted-foreground">
        <thead>
          <tr className="border-b">
            <th scope="col" className="text-left">
              {texts.what}
            </th>
            <th scope="col" className="hidden pl-3 text-right sm:table-cell">
              {texts.quantity}
            </th>
            <th scope="col" className="hidden pl-3 text-right sm:table-cell">
              {texts.price}
            </th>
            <th scope="col" className="pl-3 text-right">
              {texts.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {invoice.items.map(({ what, quantity, price }, index) => (
            <tr key={index} className="border-b">
              <td className="wrap-anywhere">
                {what}
                <span className="block text-muted-foreground sm:hidden">
                  {quantity} × {money.format(price)}
                </span>
              </td>
              <td className="hidden pl-3 text-right tabular-nums sm:table-cell">{quantity}</td>
              <td className="hidden pl-3 text-right tabular-nums sm:table-cell">{money.format(price)}</td>
              <td className="pl-3 text-right whitespace-nowrap tabular-nums">{money.format(quantity * price)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl className="ml-auto grid w-full max-w-64 gap-2 text-sm tabular-nums [&>div]:flex [&>div]:justify-between [&>div]:gap-4">
        <div>
          <dt>{texts.net}</dt>
          <dd>{money.format(net)}</dd>
        </div>
        <div>
          <dt>{texts.taxLine(invoice.tax)}</dt>
          <dd>{money.format(taxed)}</dd>
        </div>
        <div className="border-t pt-2 text-lg font-semibold">
          <dt>{texts.total}</dt>
          <dd>{money.format(total)}</dd>
        </div>
      </dl>
      {due && <p className="text-sm text-muted-foreground">{texts.payBy(day.format(due))}</p>}
    </section>
  )
}
