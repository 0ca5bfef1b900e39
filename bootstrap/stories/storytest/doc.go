// Package storytest starts whole services in tests and calls them as people do: over HTTP,
// with every answer validated against the description of the interface. The stories are in
// the folders beside it.
//
// # What is tested where
//
// Every suite of a port runs against the in-memory adapter and every real one; that of storage
// runs against SQLite and PostgreSQL. The stories are played over HTTP against local, local on
// PostgreSQL, and inmemory.
//
//	agent, files, git, people, projects, sites   what people do
//	webhooks      what other programs are told, and how they fail
//	attacks       every route as every kind of caller, generated from the table of routes
//	browser       the studio, previews and sites in Chromium
//	checks        kept checks: a project with as many as one can have
//	commandline   the command line client, as people and scripts call it
//	cluster       several processes, and what happens when they fail
//	frameworks    projects with their own tools (Vite, Vue, SvelteKit), also hostile ones
//	mcp           the tools, used with the official client of the Model Context Protocol
//	interleaving  changes between a decision and its transaction or lock
//	operation     the real binary killed and starved (crash_test.go, faults_test.go), backup,
//	              metrics, start and idle
//
// Every answer that a test's HTTP client gets from the API is held to openapi.yaml by
// adapters/httpapi/conform: status, headers, type and body, each event of a stream, and no
// member that the description does not name. bootstrap/tools/demo walks the main job.
//
// Stories in bootstrap/stories/browser run as many at once as `go test -parallel` allows, each
// with people and tabs (browser contexts) of its own, in Chromium's headless shell. Every tab
// emulates the focus, so that none is in the background. Only the story that measures frames
// is alone, since a trace is of the whole browser. Pictures are taken with -artifacts or
// ATELIER_PICTURES only.
package storytest
