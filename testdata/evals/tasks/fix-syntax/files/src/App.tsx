export default function App() {
  const hours = ['Tuesday to Friday: 9 to 18', 'Saturday: 10 to 16'
  return (
    <main className="welcome">
      <h1>Fern & Sons</h1>
      <ul>
        {hours.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p>Plants for every room.
    </main>
  )
}
