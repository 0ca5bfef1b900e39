import { useState, type FormEvent } from 'react'

const rooms = [
  { name: 'Garden room', price: 90, guests: 2 },
  { name: 'Loft', price: 140, guests: 4 },
]

interface Booking {
  name: string
  email: string
  room: string
  nights: number
  guests: number
  breakfast: boolean
}

type Errors = Partial<Record<keyof Booking, string>>

const empty: Booking = { name: '', email: '', room: 'Garden room', nights: 1, guests: 1, breakfast: false }

function check(booking: Booking): Errors {
  const errors: Errors = {}
  if (booking.name.trim() === '') errors.name = 'Enter your name.'
  if (!/^\S+@\S+\.\S+$/.test(booking.email)) errors.email = 'Enter a valid e-mail address.'
  if (!Number.isInteger(booking.nights) || booking.nights < 1 || booking.nights > 14) errors.nights = 'Stay 1 to 14 nights.'
  const room = rooms.find((one) => one.name === booking.room)
  if (room && booking.guests > room.guests) errors.guests = `The ${room.name} is for ${room.guests} guests.`
  return errors
}

function priceOf(booking: Booking) {
  const room = rooms.find((one) => one.name === booking.room)
  const nightly = (room?.price ?? 0) + (booking.breakfast ? 12 * booking.guests : 0)
  const price = nightly * booking.nights
  return booking.nights >= 7 ? price * 0.9 : price
}

export default function App() {
  const [booking, setBooking] = useState(empty)
  const [errors, setErrors] = useState<Errors>({})
  const [step, setStep] = useState<'form' | 'review' | 'done'>('form')

  function set<Key extends keyof Booking>(key: Key, value: Booking[Key]) {
    setBooking((before) => ({ ...before, [key]: value }))
    setErrors((before) => ({ ...before, [key]: undefined }))
  }

  function review(event: FormEvent) {
    event.preventDefault()
    const found = check(booking)
    setErrors(found)
    if (Object.keys(found).length === 0) setStep('review')
  }

  function again() {
    setBooking(empty)
    setStep('form')
  }

  if (step === 'done') {
    return (
      <main className="p-6">
        <h1>Booked</h1>
        <p>We wrote to {booking.email}.</p>
        <button type="button" onClick={again}>
          Book another stay
        </button>
      </main>
    )
  }
  if (step === 'review') {
    return (
      <main className="p-6">
        <h1>Check your booking</h1>
        <p>{booking.name}</p>
        <p>
          {booking.room}, {booking.nights} {booking.nights === 1 ? 'night' : 'nights'}
        </p>
        <p>Price: ${priceOf(booking)}</p>
        <button type="button" onClick={() => setStep('form')}>
          Change
        </button>
        <button type="button" onClick={() => setStep('done')}>
          Book now
        </button>
      </main>
    )
  }
  return (
    <main className="p-6">
      <h1>Book a stay</h1>
      <form onSubmit={review} noValidate>
        <label>
          Name
          <input value={booking.name} onChange={(event) => set('name', event.target.value)} />
        </label>
        {errors.name && <p role="alert">{errors.name}</p>}
        <label>
          E-mail
          <input type="email" value={booking.email} onChange={(event) => set('email', event.target.value)} />
        </label>
        {errors.email && <p role="alert">{errors.email}</p>}
        <label>
          Room
          <select value={booking.room} onChange={(event) => set('room', event.target.value)}>
            {rooms.map((room) => (
              <option key={room.name}>{room.name}</option>
            ))}
          </select>
        </label>
        <label>
          Nights
          <input inputMode="numeric" value={booking.nights || ''} onChange={(event) => set('nights', Number(event.target.value))} />
        </label>
        {errors.nights && <p role="alert">{errors.nights}</p>}
        <label>
          Guests
          <input inputMode="numeric" value={booking.guests || ''} onChange={(event) => set('guests', Number(event.target.value))} />
        </label>
        {errors.guests && <p role="alert">{errors.guests}</p>}
        <label>
          <input type="checkbox" checked={booking.breakfast} onChange={(event) => set('breakfast', event.target.checked)} />
          Breakfast
        </label>
        <p>Price: ${priceOf(booking)}</p>
        <button type="submit">Continue</button>
      </form>
    </main>
  )
}
