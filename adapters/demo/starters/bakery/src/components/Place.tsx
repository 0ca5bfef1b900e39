import { MapPin } from '@/components/icons'
import { texts } from '@/texts'

export function Place() {
  return (
    <section id="place" aria-labelledby="place-title" className="overflow-hidden rounded-2xl bg-card">
      <svg viewBox="0 0 480 220" role="img" aria-label={texts.map} className="block w-full bg-secondary">
        <path d="M128 -10C168 60 108 130 158 230" className="fill-none stroke-border" strokeWidth="34" />
        <g className="fill-none stroke-background" strokeWidth="14" strokeLinecap="round">
          <path d="M70 240V-10M-10 70H500M210 -10V240M390 -10V240M210 118H390" />
        </g>
        <path d="M70 36V70H210V118H330" className="fill-none stroke-primary" strokeWidth="4" strokeLinecap="round" strokeLinejoin="round" strokeDasharray="2 10" />
        <circle cx="70" cy="36" r="8" className="fill-foreground" />
        <text x="88" y="42" className="fill-foreground text-sm font-medium">
          {texts.station}
        </text>
        <circle cx="330" cy="118" r="13" className="fill-primary" />
        <circle cx="330" cy="118" r="5" className="fill-primary-foreground" />
        <text x="330" y="158" textAnchor="middle" className="fill-foreground text-base font-semibold">
          {texts.name}
        </text>
      </svg>
      <div className="p-6 sm:p-8">
        <h2 id="place-title" className="text-3xl">
          {texts.place}
        </h2>
        <address className="mt-4 flex gap-3 not-italic">
          <MapPin className="mt-0.5 size-5 shrink-0 text-primary" />
          <span>
            {texts.address.map((line) => (
              <span key={line} className="block">
                {line}
              </span>
            ))}
          </span>
        </address>
        <p className="mt-3 max-w-[45ch] text-pretty text-muted-foreground">{texts.directions}</p>
      </div>
    </section>
  )
}
