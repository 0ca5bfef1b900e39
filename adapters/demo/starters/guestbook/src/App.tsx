import { useCallback, useEffect, useState } from 'react'
import { Entries } from '@/components/Entries'
import { SignIn } from '@/components/SignIn'
import { Write } from '@/components/Write'
import { currentSession, followEntries, listEntries, signOut, type Entry } from '@/lib/data'
import { texts } from '@/texts'

export default function App() {
  const [me, setMe] = useState(currentSession)
  const [entries, setEntries] = useState<Entry[] | null>(null)
  const [failed, setFailed] = useState(false)

  const load = useCallback(() => {
    listEntries().then(
      (all) => {
        setEntries(all)
        setFailed(false)
        setMe(currentSession())
      },
      () => setFailed(true),
    )
  }, [])
  useEffect(load, [load])
  useEffect(() => followEntries(load), [load])

  return (
    <main id="guestbook" className="mx-auto grid max-w-5xl gap-8 px-4 py-8 sm:px-6 sm:py-14">
      <header>
        <h1 className="text-4xl sm:text-5xl">{texts.title}</h1>
        <p className="mt-2 text-lg text-pretty text-muted-foreground">{texts.lead}</p>
      </header>
      <div className="grid items-start gap-6 md:grid-cols-[20rem_1fr]">
        {me ? (
          <Write
            name={me.record.name}
            onWritten={load}
            onSignOut={() => {
              signOut()
              setMe(null)
            }}
          />
        ) : (
          <SignIn onSignedIn={setMe} />
        )}
        <Entries entries={entries} failed={failed} me={me?.record.id} onChange={load} />
      </div>
    </main>
  )
}
