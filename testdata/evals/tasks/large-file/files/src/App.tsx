import { cities } from '@/data/cities'

export default function App() {
  return (
    <main>
      <h1>Cities</h1>
      <ul>
        {cities.map((city) => (
          <li key={city.name}>
            {city.name}: {city.population}
          </li>
        ))}
      </ul>
    </main>
  )
}
