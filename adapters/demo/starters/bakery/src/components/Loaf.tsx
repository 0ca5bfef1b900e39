/** A loaf, scored like an ear of rye. */
export function Loaf() {
  return (
    <svg viewBox="0 0 400 400" className="mx-auto hidden w-full max-w-sm sm:block" aria-hidden="true">
      <circle cx="200" cy="200" r="195" className="fill-secondary" />
      <ellipse cx="200" cy="206" rx="142" ry="130" className="fill-primary" />
      <ellipse cx="196" cy="194" rx="124" ry="108" className="fill-background/10" />
      <g className="fill-none stroke-secondary" strokeWidth="8" strokeLinecap="round">
        <path d="M200 104V312" />
        {[150, 186, 222, 258].map((y) => (
          <path key={y} d={`M200 ${y + 18}C176 ${y + 10} 158 ${y - 6} 150 ${y - 28}M200 ${y + 18}C224 ${y + 10} 242 ${y - 6} 250 ${y - 28}`} />
        ))}
      </g>
    </svg>
  )
}
