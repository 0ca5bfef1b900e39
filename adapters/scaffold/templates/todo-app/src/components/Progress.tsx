/** How much of the list is done. The header says it in words. */
export function Progress({ done, of }: { done: number; of: number }) {
  return (
    <div className="h-1 bg-muted" aria-hidden="true">
      <div className="h-full bg-primary transition-[width]" style={{ width: `${of === 0 ? 0 : (100 * done) / of}%` }} />
    </div>
  )
}
