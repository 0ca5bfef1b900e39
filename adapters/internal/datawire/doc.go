// Package datawire carries the port of backends (ports/backend) over HTTP, from a process to the one
// that has the engine: a worker (adapters/dataworker), or another process of the installation
// (adapters/sharedbackend).
//
// End users' requests keep their paths and headers; the place and the identity are in headers that
// nobody else can set. Calls of the port are POST /call/<name> with JSON. Who may connect is for
// the two ends to decide.
package datawire
