export default function App() {
  return (
    <main className="mx-auto grid min-h-svh max-w-xl content-center gap-4 px-6 py-16">
      <h1>Hello there</h1>
      <p className="text-lg text-pretty text-muted-foreground">
        This page is all yours. Describe what you want to build, or start in <code className="text-foreground">src/App.tsx</code>.
      </p>
    </main>
  )
}
