// Package preview runs projects' previews: it builds a project when somebody first looks
// at it, builds it again when its files change, and tells watchers the result.
//
// A preview is a session in memory. It holds the last successful build, so that pages
// stay up while the sources are broken. It ends when nobody has looked for a while; the
// next look starts another. Every process has its own sessions.
//
// # The address is a key
//
// The first label of a preview's host name is the project's id and a token of 130 bits.
// address.go makes it, and checks it at every request; rehearsal.go has the labels of checks.
// The token changes when somebody leaves the workspace or loses access (core/access). No password
// protects a preview besides. To any other label adapters/sitehost (previews.go)
// answers 404.
//
// Pages that are open when the members change go on at the next address (moves.go). The former host
// gives a page a code (Leave). With it the browser goes to the studio, where the person's own right
// decides whether it learns the next address (Move), with a second code for that host (Arrive). So
// nobody follows who was removed, and nobody who merely has a link signs others in. What the page
// kept of an end user travels in fragments only, which reach no server.
//
// # The parts of a session
//
// sessions.go has the sessions of the process and their limits. session.go is the goroutine of
// one: it follows the project and builds. results.go is the outcome that others wait for.
// feed.go delivers events to watchers (publish/subscribe) and keeps the console. announcer.go
// tells watchers and followers of a status. supervisor.go runs the development server, which
// is server.go.
//
// Locks are taken in this order: sessions, announcer, results, feed. None is held while a
// project is built.
//
// # Rebuilds are debounced
//
// A session follows its project on the bus. A change starts a debounce timer (settleTime in
// session.go), so that saves that come together cause one rebuild. The builder transforms only
// what changed and returns an immutable set of files; adapters/sitehost serves it.
//
// # Development servers
//
// The session of a project with the runtime node (core/builds) installs packages, starts the
// script "dev", else "start", on port 5173 or wherever the script listens, and shows the
// server as soon as it answers HTTP (supervisor.go, server.go). File changes land on the disk,
// where the server sees them and updates its pages. It watches by polling: the usual watcher,
// inotify, permanently loses a file that is replaced twice within some 50 ms, as atomic writes
// do.
//
// Errors are found by asking (inspect.go). After each change the session gives the server a
// quarter of a second, then requests the first page and every module of the project that it
// leads to, as a browser would. If one has status 500, it reads what the server printed
// (builds.Diagnose). The agent's check_build waits for the same.
//
// A change of packages, scripts or environment values restarts the server. One that crashes is
// restarted with exponential back-off, after 1, 2, 4, … seconds, five times, and after that
// when files change. At most eight servers run at once. When another is needed, the workspace
// with the most servers loses the one that nobody looked at for longest.
package preview
