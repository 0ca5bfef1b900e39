export default function App() {
  return (
    <main className="grid min-h-svh place-content-center justify-items-center gap-4 p-8 text-center">
      <h1>Hello there</h1>
      <p className="max-w-sm text-balance text-muted">
        This page is all yours. Describe what you want to build, or start in <code className="text-accent">src/App.tsx</code>.
      </p>
    </main>
  )
}
