import { useCallback, useEffect, useState } from 'react'
import { loadOverview, type Overview } from '@/lib/data'

/** The overview: undefined while it loads. `failed` is whether that went wrong; `retry` tries again. */
export function useOverview() {
  const [overview, setOverview] = useState<Overview>()
  const [failed, setFailed] = useState(false)

  const load = useCallback(() => {
    setFailed(false)
    loadOverview().then(setOverview, () => setFailed(true))
  }, [])

  useEffect(load, [load])
  return { overview, failed, retry: load }
}
