// Package functionworker runs a runner of functions (ports/functions) in worker processes, so that
// no function is ever run by the service's own process.
//
// A worker (adapters/internal/workerprocess) is the same program, started again without sockets,
// programs, other processes and files. Its memory is limited. It is started by the first call, and
// ends when it has been idle for a while, so a service without functions has none.
//
// # When a worker ends
//
// A worker whose runner says that it is stuck (Runner.Stuck) takes no more calls: the next one
// starts another, and the old one is killed when its calls have ended. One that keeps a call longer
// than functions.MaxTime allows is killed.
//
// One that dies takes its calls along. Those that have asked their host for anything may have been
// carried out in part, so they fail, and are not repeated. The others are repeated once, each in a
// worker of its own (alone.go), as are all calls of the same code for a while: code that ends its
// worker harms other calls once.
//
// # What travels
//
// Frames of JSON over one socket (link.go). The service sends calls and answers of their hosts,
// and cancels calls; the worker asks hosts, and sends results. What a worker sends is read as if
// it were hostile: it is bounded, and reaches the host of a running call only.
package functionworker
