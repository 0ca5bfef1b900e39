// Package buildworker lets builds, syntax checks and patches of markup happen in
// worker processes, so that no source can do harm to the service.
//
// A parser that calls itself for every level of nesting overflows its stack on
// hostile sources, which ends a Go process whatever anybody recovers, and others
// make it work for minutes, which nobody can cancel. A worker is the same program,
// started again with an empty environment, bounded stack, memory and processor
// time, and ended when it does not answer. Its death is a diagnostic for those who
// wrote the sources, and nobody else notices.
//
// # Who knows what
//
// A worker sees neither the projects nor any secret: it asks for the sources of its
// one request through the socket that it was started with, and writes to the cache
// of pre-built dependencies only. A filter of system calls takes sockets, programs and
// other processes away from it, and the kernel's Landlock, from before it starts, all
// files but its program, packages and that cache (Config.Readable and Writable). Neither
// takes root or a user namespace, so they hold where bubblewrap does not work. Pool.Report
// has a worker try. Its answers are read as if it were hostile.
//
// # What travels
//
// Everything is a frame (link.go). The service sends a call; the worker says that it
// has begun, asks for directories and files, and answers. Sources travel a directory
// at a time. Of the files of a result first their digests travel, and then only what
// the service does not hold already: dependencies are the largest part of a preview,
// and all previews that have the same ones share them in memory.
//
// # The pool
//
// Pool is a worker pool. It implements the ports build and markup by calls to workers, of
// which it starts at most as many as there are processors, and only when there is something to
// build. In a worker, adapters/esbuild and adapters/markup do the work.
//
// A worker has an empty environment, one open file (its socket), 1 GiB of memory, 256 MiB of
// stack, 20 seconds of processor time for a build and 5 for a check, and a lower priority. The
// kernel ends it with the service. The names in a request are looked up below the project's
// fs.FS and nowhere else.
//
// A worker that dies in the middle of a call leaves a diagnostic without a place. The call is
// repeated only if the worker had not begun it, or still carried the remains of a cancelled
// call. Calls of more than two seconds are counted apart, so that a few slow projects do not
// make all others wait. Idle workers end after two minutes, the last one after thirty.
//
// A host that embeds Atelier without Settings.Program builds in its own process.
package buildworker
