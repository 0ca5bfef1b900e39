import type { ComponentProps, ReactNode } from 'react'
import { cn } from '@/lib/utils'

/** A placeholder for content that is still loading. */
export function Skeleton({ className, ...props }: ComponentProps<'div'>) {
  return <div aria-hidden="true" className={cn('rounded-md bg-muted motion-safe:animate-pulse', className)} {...props} />
}

interface EmptyProps {
  icon?: ReactNode
  title: string
  children?: ReactNode
  className?: string
}

/** Says that there is nothing, or that something failed, and what to do next. */
export function Empty({ icon, title, children, className }: EmptyProps) {
  return (
    <div className={cn('grid justify-items-center gap-2 px-4 py-10 text-center', className)}>
      {icon && <div className="mb-1 grid size-12 place-items-center rounded-full bg-muted text-muted-foreground [&_svg]:size-6">{icon}</div>}
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-sm text-sm text-balance text-muted-foreground">{children}</div>}
    </div>
  )
}
