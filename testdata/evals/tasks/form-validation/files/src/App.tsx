import { useState } from 'react'
import { SignUp } from '@/components/SignUp'

export default function App() {
  const [email, setEmail] = useState('')
  return (
    <main className="welcome">
      <h1>Newsletter</h1>
      {email ? <p>Thank you, {email}.</p> : <SignUp onSignUp={setEmail} />}
    </main>
  )
}
