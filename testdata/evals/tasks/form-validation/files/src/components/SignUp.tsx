import { useState, type FormEvent } from 'react'

export function SignUp({ onSignUp }: { onSignUp: (email: string) => void }) {
  const [email, setEmail] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    onSignUp(email)
  }

  return (
    <form onSubmit={submit} noValidate>
      <label>
        E-mail
        <input value={email} onChange={(event) => setEmail(event.target.value)} />
      </label>
      <button type="submit">Sign up</button>
    </form>
  )
}
