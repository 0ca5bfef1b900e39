import { useState, type FormEvent } from 'react'
import { Button } from '@/components/ui/button'
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card'
import { Input, Label } from '@/components/ui/input'
import { signIn, signUp, type Session } from '@/lib/data'
import { texts } from '@/texts'

export function SignIn({ onSignedIn }: { onSignedIn: (session: Session) => void }) {
  const [isNew, setNew] = useState(true)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const value = (name: string) => String(fields.get(name) ?? '')
    setBusy(true)
    setProblem('')
    try {
      const [email, password] = [value('email'), value('password')]
      onSignedIn(isNew ? await signUp(value('name'), email, password) : await signIn(email, password))
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
    }
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle className="text-lg">{isNew ? texts.signUpTitle : texts.signInTitle}</CardTitle>
      </CardHeader>
      <CardContent>
        <form className="grid gap-4" onSubmit={submit}>
          {isNew && (
            <Label className="grid gap-1.5">
              {texts.name}
              <Input name="name" required maxLength={80} autoComplete="name" />
            </Label>
          )}
          <Label className="grid gap-1.5">
            {texts.email}
            <Input name="email" type="email" required autoComplete="email" />
          </Label>
          <Label className="grid gap-1.5">
            {texts.password}
            <Input name="password" type="password" required minLength={8} autoComplete={isNew ? 'new-password' : 'current-password'} />
          </Label>
          {problem && (
            <p role="alert" className="text-sm text-destructive">
              {problem}
            </p>
          )}
          <Button type="submit" disabled={busy}>
            {isNew ? texts.signUp : texts.signIn}
          </Button>
          <Button variant="link" className="h-auto whitespace-normal" onClick={() => setNew(!isNew)}>
            {isNew ? texts.hasAccount : texts.hasNone}
          </Button>
        </form>
      </CardContent>
    </Card>
  )
}
