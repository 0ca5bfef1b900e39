export default function App() {
  return (
    <main className="welcome">
      <h1>Hello there</h1>
      <p>
        This page is all yours. Describe what you want to build, or start in <code>src/App.tsx</code>.
      </p>
    </main>
  )
}
