// Package datawire carries the port of backends (ports/backend) over HTTP, to the process
// that has the engine: a worker (adapters/dataworker), or another process of the
// installation (adapters/sharedbackend).
//
// Requests of end users keep their paths and headers. The place and the identity are in
// headers that end users cannot set. Calls of the port are POST /call/<name> with JSON. The
// two ends decide who may connect.
package datawire
