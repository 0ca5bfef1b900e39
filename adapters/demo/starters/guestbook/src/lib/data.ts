/** The project's data: its shape and its rules are in backend/schema.json. */
const data = '/_data/'
const entriesPath = `${data}collections/entries/records`
const usersPath = `${data}collections/users/`
/** The preview keeps what has this name when its address changes. */
const sessionKey = 'pocketbase_auth'

export interface Session {
  token: string
  record: { id: string; name: string }
}

export interface Entry {
  id: string
  text: string
  author: string
  created: string
  expand?: { author?: { name: string } }
}

let session = storedSession()

/** Who is signed in; null if nobody is. */
export const currentSession = () => session

export async function listEntries(): Promise<Entry[]> {
  const page = await call<{ items: Entry[] }>('GET', `${entriesPath}?sort=-created&expand=author&perPage=100`)
  return page.items
}

export async function addEntry(text: string): Promise<void> {
  await call('POST', entriesPath, { text, author: session?.record.id })
}

export async function removeEntry(id: string): Promise<void> {
  await call('DELETE', `${entriesPath}/${id}`)
}

export async function signUp(name: string, email: string, password: string): Promise<Session> {
  await call('POST', `${usersPath}records`, { name, email, password, passwordConfirm: password })
  return signIn(email, password)
}

export async function signIn(email: string, password: string): Promise<Session> {
  const signedIn = await call<Session>('POST', `${usersPath}auth-with-password`, { identity: email, password })
  keep(signedIn)
  return signedIn
}

export function signOut(): void {
  keep(null)
}

/** Calls back whenever somebody adds, changes or removes an entry, until the returned function is called. */
export function followEntries(onChange: () => void): () => void {
  const events = new EventSource(`${data}realtime`)
  events.addEventListener('PB_CONNECT', (event) => {
    const { clientId } = JSON.parse((event as MessageEvent<string>).data) as { clientId: string }
    call('POST', `${data}realtime`, { clientId, subscriptions: ['entries/*'] }).then(onChange, () => undefined)
  })
  events.addEventListener('entries/*', onChange)
  return () => events.close()
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (session) headers.Authorization = session.token
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) })
  if (response.status === 401) keep(null)
  const answer = response.status === 204 ? null : await response.json()
  if (response.ok) return answer as T
  const reasons = Object.values((answer.data ?? {}) as Record<string, { message: string }>).map(({ message }) => message)
  throw new Error(reasons.join(' ') || answer.message)
}

function storedSession(): Session | null {
  try {
    return JSON.parse(localStorage.getItem(sessionKey) ?? 'null') as Session | null
  } catch {
    return null // Private windows may refuse storage.
  }
}

function keep(next: Session | null): void {
  session = next
  try {
    if (next) localStorage.setItem(sessionKey, JSON.stringify(next))
    else localStorage.removeItem(sessionKey)
  } catch {
    // Without storage the session lasts as long as the page.
  }
}
