// Package calllog keeps the logs of projects' backends, for the projects' members: requests under
// /_data/ and runs of functions (contract, section 10). It has no bodies and no tokens; path.go
// says what it keeps of an address, and what not.
//
// A request never waits for its entry. Entries wait in memory, and a worker stores them in
// batches: a crash loses those of about a second. Nor can a flood of requests flood the database:
// beyond a rate for each environment and kind, calls are counted instead of kept. The next entry
// says how many, and so does the service's own log.
//
// An environment keeps its newest core.MaxBackendCalls calls of each kind, for Retention.
package calllog
