import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { X } from '@/components/icons'

interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: string
  children: ReactNode
}

/** A modal dialog: the browser's own, which keeps the focus inside and closes with Escape. */
export function Dialog({ open, onOpenChange, title, description, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()

  useEffect(() => {
    if (open) dialog.current?.showModal()
    else dialog.current?.close()
  }, [open])

  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={() => onOpenChange(false)}
      onClick={(event) => event.target === dialog.current && onOpenChange(false)}
      className="m-auto w-[calc(100%-2rem)] max-w-md rounded-xl border bg-card text-card-foreground shadow-xl backdrop:bg-background/75"
    >
      <div className="grid gap-4 p-5">
        <div className="flex items-start justify-between gap-4">
          <div className="grid gap-1">
            <h2 id={id} className="text-lg font-semibold">
              {title}
            </h2>
            {description && <p className="text-sm text-muted-foreground">{description}</p>}
          </div>
          <Button variant="ghost" size="icon" className="-mt-2 -mr-2" aria-label="Close" onClick={() => onOpenChange(false)}>
            <X />
          </Button>
        </div>
        {children}
      </div>
    </dialog>
  )
}
