import { texts } from '@/texts'

export interface Habit {
  id: string
  name: string
  /** The days on which it was done, as YYYY-MM-DD. */
  days: string[]
}

const key = 'habits'

export function dayOf(date: Date): string {
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`
}

export function daysAgo(days: number, from = new Date()): Date {
  return new Date(from.getFullYear(), from.getMonth(), from.getDate() - days)
}

/** How many days in a row, up to today or yesterday. */
export function streak(days: string[]): number {
  let at = days.includes(dayOf(new Date())) ? 0 : 1
  let length = 0
  while (days.includes(dayOf(daysAgo(at++)))) length++
  return length
}

/** The stored habits; the samples at first, or when storage is not allowed. */
export function loadHabits(): Habit[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    if (Array.isArray(stored)) return stored as Habit[]
  } catch {
    // Private windows may refuse storage.
  }
  return texts.samples.map(({ name, ago }, index) => ({ id: `sample-${index}`, name, days: ago.map((days) => dayOf(daysAgo(days))) }))
}

export function saveHabits(habits: Habit[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(habits))
  } catch {
    // Without storage the habits last as long as the page.
  }
}
