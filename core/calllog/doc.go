// Package calllog keeps the logs of projects' backends, for the projects' members: requests
// under /_data/ and runs of functions. It keeps no bodies and no
// tokens. path.go decides what it keeps of an address.
//
// A request never waits for its entry. Entries wait in memory until a worker stores them in
// batches, so a crash loses about a second of them. A flood of requests cannot flood the
// database: beyond a rate for each environment and kind, calls are counted but not kept.
// The next entry has the number, and so does the service's own log.
//
// An environment keeps its newest core.MaxBackendCalls calls of each kind, for Retention.
package calllog
