import { Skeleton } from '@/components/ui/states'

/** The page's shape while its figures are loading. */
export function Loading() {
  return (
    <div className="grid gap-4 sm:gap-5" role="status" aria-label="Loading the figures">
      <div className="grid grid-cols-2 gap-4 sm:gap-5 lg:grid-cols-4">
        {[1, 2, 3, 4].map((card) => (
          <Skeleton key={card} className="h-32 rounded-xl" />
        ))}
      </div>
      <div className="grid gap-4 sm:gap-5 lg:grid-cols-3">
        <Skeleton className="h-88 rounded-xl lg:col-span-2" />
        <Skeleton className="h-88 rounded-xl" />
      </div>
      <Skeleton className="h-96 rounded-xl" />
    </div>
  )
}
