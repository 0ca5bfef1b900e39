// Package peers compares the whole service with what people use instead: vite, with npm,
// for previews and builds, nginx for sites, and the y-websocket server for rooms. It also
// compares a service on PostgreSQL, of one process and of two, with one on SQLite. Every
// number is a ratio within one run. The benchmarks need Node, nginx, wrk, Chromium,
// PostgreSQL and NATS, which `make bench` installs.
package peers
