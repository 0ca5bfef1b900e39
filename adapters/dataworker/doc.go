// Package dataworker runs an engine of backends (ports/backend) in a worker process, so that
// nothing of a project's data is ever opened by the service's own process.
//
// The worker (adapters/internal/workerprocess) is the same program, started again without sockets,
// programs and other processes, and with no files but its data. Its memory is limited. It may die
// at any moment: requests that it was working on get 503, the next one starts another. It is
// started by the first request, and ends when it has been idle for a while, so a service without
// backends has none.
//
// # What travels
//
// Two pairs of connected sockets, which the worker inherits, carry HTTP/2 without TLS: one the
// requests of the service (adapters/internal/datawire), one the worker's own (host.go), for mails
// to queue and for requests to providers of OAuth, which the service sends through its guarded
// client.
package dataworker
