import type { ComponentProps } from 'react'
import { cn } from '@/lib/utils'

/** The classes that all fields of forms share. */
export const fieldClasses =
  'w-full min-w-0 rounded-md border border-input bg-card px-3 text-base placeholder:text-muted-foreground disabled:opacity-50 aria-invalid:border-destructive'

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cn(fieldClasses, 'h-10', className)} {...props} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea className={cn(fieldClasses, 'min-h-20 py-2', className)} {...props} />
}

/** The browser's own select: its list works with keys, touch and screen readers. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return <select className={cn(fieldClasses, 'h-10 pr-8', className)} {...props} />
}

/** The browser's own checkbox, in the theme's colour. */
export function Checkbox({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input type="checkbox" className={cn('size-5 shrink-0 accent-primary', className)} {...props} />
}

export function Label({ className, ...props }: ComponentProps<'label'>) {
  return <label className={cn('text-sm font-medium', className)} {...props} />
}
