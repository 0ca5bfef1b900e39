// Package peers compares the whole service with what people use instead: vite, with npm,
// for previews and builds, and the y-websocket server for rooms. It also compares a service
// of two processes with one of them. Every number is a ratio within one run. The benchmarks
// need Node, wrk, Chromium, PostgreSQL and NATS, which `make bench` installs.
//
// # How pages are measured
//
// Pages are measured as people have them, the service's own and vite's alike. The tab is open
// and the browser idle before a measurement begins. The driver's developer tools are off: with
// them, every error that React creates in development looks up its place, which takes 40 ms a
// page. The page itself notes the moment at which it shows what is looked for.
//
// # How rooms are measured
//
// Rooms are measured with the same clients in Go against the same history, so only the server
// differs, and by what /proc says of its process. The y-websocket server stores nothing and
// asks nobody who they are; the service does both. Two processes have a core each, together
// with their clients. On a machine of fewer than four cores they share all that one had, and
// their bar says so.
package peers
