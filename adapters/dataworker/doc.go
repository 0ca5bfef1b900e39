// Package dataworker runs an engine of backends (ports/backend) in a worker process, so
// that the service's own process never opens a project's data.
//
// The worker (adapters/internal/workerprocess) is the same program, restarted without
// access to sockets, programs, other processes and files other than its data, and with
// limited memory. It may die at any moment: its requests get 503, and the next one starts
// another worker. The first request starts it, and it ends when it has been idle for a
// while.
//
// # What travels
//
// Two pairs of connected sockets, which the worker inherits, carry HTTP/2 without TLS. One
// has the service's requests (adapters/internal/datawire). The other has the worker's
// (host.go): mails to queue, and requests to OAuth providers, which the service sends
// through its guarded client. The worker may be hostile: the service limits what it buffers of
// an answer, and kills a worker whose connection breaks.
package dataworker
