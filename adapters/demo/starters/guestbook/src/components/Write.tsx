import { useState, type FormEvent } from 'react'
import { Button } from '@/components/ui/button'
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card'
import { Textarea } from '@/components/ui/input'
import { addEntry } from '@/lib/data'
import { texts } from '@/texts'

interface Props {
  name: string
  onWritten: () => void
  onSignOut: () => void
}

export function Write({ name, onWritten, onSignOut }: Props) {
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')

  async function submit(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    setProblem('')
    try {
      await addEntry(text.trim())
      setText('')
      onWritten()
    } catch (error) {
      setProblem((error as Error).message)
    }
    setBusy(false)
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle className="text-lg">{texts.greeting(name)}</CardTitle>
      </CardHeader>
      <CardContent>
        <form className="grid gap-3" onSubmit={submit}>
          <Textarea
            name="text"
            required
            maxLength={500}
            rows={4}
            aria-label={texts.message}
            placeholder={texts.placeholder}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {problem && (
            <p role="alert" className="text-sm text-destructive">
              {problem}
            </p>
          )}
          <Button type="submit" disabled={busy || !text.trim()}>
            {texts.send}
          </Button>
          <Button variant="ghost" onClick={onSignOut}>
            {texts.signOut}
          </Button>
        </form>
      </CardContent>
    </Card>
  )
}
