import { useEffect, useState } from 'react'

interface Note {
  id: number
  title: string
  body: string
  pinned: boolean
}

const welcome: Note[] = [
  { id: 1, title: 'Groceries', body: 'Bread, olives', pinned: false },
  { id: 2, title: 'Trip', body: 'Book the ferry', pinned: false },
]

function stored(): Note[] {
  const text = localStorage.getItem('notes')
  return text === null ? welcome : JSON.parse(text)
}

function usePath() {
  const [path, setPath] = useState(location.pathname)
  useEffect(() => {
    const follow = () => setPath(location.pathname)
    addEventListener('popstate', follow)
    return () => removeEventListener('popstate', follow)
  }, [])
  function go(to: string) {
    history.pushState(null, '', to)
    setPath(to)
  }
  return { path, go }
}

export default function App() {
  const { path, go } = usePath()
  const [notes, setNotes] = useState<Note[]>(stored)
  const [query, setQuery] = useState('')
  const [dark, setDark] = useState(false)

  useEffect(() => {
    localStorage.setItem('notes', JSON.stringify(notes))
  }, [notes])

  const id = Number(path.match(/^\/notes\/(\d+)$/)?.[1] ?? 0)
  const note = notes.find((one) => one.id === id)

  function update(changed: Note) {
    setNotes(notes.map((one) => (one.id === changed.id ? changed : one)))
  }

  function create() {
    const next = Math.max(0, ...notes.map((one) => one.id)) + 1
    setNotes([...notes, { id: next, title: 'Untitled', body: '', pinned: false }])
    go(`/notes/${next}`)
  }

  function remove(gone: Note) {
    setNotes(notes.filter((one) => one.id !== gone.id))
    go('/')
  }

  const shown = notes
    .filter((one) => (one.title + ' ' + one.body).toLowerCase().includes(query.trim().toLowerCase()))
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || a.id - b.id)

  return (
    <div className={dark ? 'dark bg-neutral-900 text-white' : ''}>
      <header>
        <button type="button" onClick={() => go('/')}>
          All notes
        </button>
        <button type="button" aria-pressed={dark} onClick={() => setDark(!dark)}>
          Dark
        </button>
      </header>
      <main className="mx-auto max-w-xl p-6">
        {id !== 0 && !note && <h1>Note not found</h1>}
        {note && (
          <>
            <h1>{note.title}</h1>
            <label>
              Title
              <input value={note.title} onChange={(event) => update({ ...note, title: event.target.value })} />
            </label>
            <label>
              Text
              <textarea value={note.body} onChange={(event) => update({ ...note, body: event.target.value })} />
            </label>
            <p>{note.body.trim() === '' ? 0 : note.body.trim().split(/\s+/).length} words</p>
            <label>
              <input type="checkbox" checked={note.pinned} onChange={() => update({ ...note, pinned: !note.pinned })} />
              Pinned
            </label>
            <button type="button" onClick={() => remove(note)}>
              Delete note
            </button>
          </>
        )}
        {id === 0 && (
          <>
            <h1>Notes</h1>
            <label>
              Search notes
              <input type="search" value={query} onChange={(event) => setQuery(event.target.value)} />
            </label>
            <button type="button" onClick={create}>
              New note
            </button>
            <ul>
              {shown.map((one, place) => (
                <li key={one.id}>
                  <button type="button" aria-label={`${place + 1}. ${one.title}`} onClick={() => go(`/notes/${one.id}`)}>
                    {one.title}
                  </button>
                </li>
              ))}
            </ul>
            <p>{shown.length} of {notes.length} notes</p>
          </>
        )}
      </main>
    </div>
  )
}
