// Package peers measures the whole service beside what people use in its place:
// vite, with npm, for previews and builds, nginx for sites, and the server of
// y-websocket for rooms; and a service on PostgreSQL, of one process and of two, beside
// one on SQLite. Every number is a ratio of one run. The benchmarks need Node, nginx,
// wrk, Chromium, PostgreSQL and NATS, which `make bench` brings.
package peers
