import { useState } from 'react'
import { de } from '@/i18n/de'
import { en } from '@/i18n/en'

const languages = { en, de }

export default function App() {
  const [language, setLanguage] = useState<keyof typeof languages>('en')
  const texts = languages[language]
  return (
    <main>
      <h1>{texts.greeting}</h1>
      <h2>{texts.hours}</h2>
      <a href="mailto:hello@example.com">{texts.contact}</a>
      <p>
        {(Object.keys(languages) as (keyof typeof languages)[]).map((name) => (
          <button key={name} type="button" onClick={() => setLanguage(name)}>
            {name}
          </button>
        ))}
      </p>
    </main>
  )
}
