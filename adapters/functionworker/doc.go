// Package functionworker runs a runner of functions (ports/functions) in worker processes,
// so that the service's own process never runs a function.
//
// A worker (adapters/internal/workerprocess) is the same program, restarted without access
// to sockets, programs, other processes and files, and with limited memory. The first call
// starts it, and it ends when it has been idle for a while.
//
// # When a worker ends
//
// If a worker's runner is stuck (Runner.Stuck), the worker takes no more calls: the next
// call starts another, and the old one is killed when its calls have ended. A worker that
// runs a call longer than functions.MaxTime allows is killed.
//
// The calls of a worker that dies are lost. Those that have already asked their host for
// something may have had effects, so they fail. The others are repeated once, each in a
// separate worker (alone.go). For a while, all calls of the same code run that way: code
// that crashes its worker harms other calls only once.
//
// # What travels
//
// JSON frames over one socket (link.go). The service sends calls, answers of their hosts,
// and cancellations; the worker sends questions to hosts, and results. Everything from a
// worker is untrusted: it is bounded, and it reaches only the host of a running call.
package functionworker
