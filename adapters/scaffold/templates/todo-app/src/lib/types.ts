export interface Todo {
  id: string
  text: string
  done: boolean
}

export const filters = ['all', 'open', 'done'] as const

export type Filter = (typeof filters)[number]
