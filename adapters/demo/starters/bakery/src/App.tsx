import { Breads } from '@/components/Breads'
import { Hours, OpenNow } from '@/components/Hours'
import { Croissant, MapPin, Phone } from '@/components/icons'
import { Loaf } from '@/components/Loaf'
import { Place } from '@/components/Place'
import { buttonVariants } from '@/components/ui/button'
import { texts } from '@/texts'

export default function App() {
  return (
    <div className="mx-auto max-w-6xl px-5 sm:px-8">
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-6">
        <p className="flex items-center gap-2.5 font-display text-xl font-semibold">
          <Croissant className="size-7 text-primary" /> {texts.name}
        </p>
        <a className="flex items-center gap-2 py-1 underline-offset-4 hover:underline" href={`tel:${texts.phone.replaceAll(' ', '')}`}>
          <Phone className="size-4" /> {texts.phone}
        </a>
      </header>
      <main>
        <div className="grid items-center gap-10 py-14 sm:py-24 lg:grid-cols-[1.5fr_1fr]">
          <div className="grid gap-6">
            <h1 className="max-w-[14ch] text-[clamp(2.75rem,8vw,5.25rem)] leading-[1.02]">{texts.headline}</h1>
            <p className="max-w-[46ch] text-lg text-pretty text-muted-foreground sm:text-xl">{texts.lead}</p>
            <OpenNow />
            <div className="flex flex-wrap gap-3">
              <a className={buttonVariants({ size: 'lg' })} href={`tel:${texts.phone.replaceAll(' ', '')}`}>
                <Phone /> {texts.call}
              </a>
              <a className={buttonVariants({ variant: 'outline', size: 'lg' })} href="#place">
                <MapPin /> {texts.way}
              </a>
            </div>
          </div>
          <Loaf />
        </div>
        <Breads />
        <div className="grid items-start gap-6 py-4 pb-16 lg:grid-cols-[1fr_1.4fr]">
          <Hours />
          <Place />
        </div>
      </main>
      <footer className="border-t py-8 text-sm text-muted-foreground">
        {texts.name}. {texts.footer}
      </footer>
    </div>
  )
}
