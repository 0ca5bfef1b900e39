import { Card } from './components/Card'

const sizes = { sm: 'text-sm/6 px-2.5', lg: "text-lg px-[calc(1rem+2px)]" }
const on = Math.random() > 0.5

export default function App() {
  return (
    <main className={`flex flex-col gap-4 ${on ? 'opacity-100' : "opacity-0"} md:flex-row`}>
      <h1 className="text-3xl font-bold tracking-tight text-balance underline decoration-brand/50 hover:decoration-2">Hello</h1>
      <button className={[sizes.sm, on && '-mt-px', 'btn', 'focus-visible:outline-2 disabled:opacity-50!', '!block'].join(' ')}>a</button>
      <div className="group/item data-[state=open]:rotate-180 aria-expanded:underline group-hover/item:translate-x-1 [&>p]:mt-2 [mask-type:luminance] supports-[display:grid]:grid" />
      <div className="@container"><p className="@md:text-lg max-md:hidden 2xl:p-8 min-[900px]:p-9 w-1/2 bg-(--tint) theme-dusk:bg-black tab-4" /></div>
      <ul className="space-y-2 divide-y divide-black/10 *:p-1 **:italic even:bg-gray-100 nth-3:font-bold not-hover:opacity-90">
        <li className="animate-spin shadow-lg ring-2 ring-brand inset-shadow-sm bg-linear-to-r from-brand to-10% via-red-500" />
      </ul>
      <Card items={items} hidden={on} />
      <span style={{ color: 'var(--color-lime-500)' }} className={'sr' + '-only'} />
    </main>
  )
}
