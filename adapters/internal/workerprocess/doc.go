// Package workerprocess starts, confines, watches and ends worker processes: the same program,
// started again, in which an adapter runs what may do harm.
//
// The service's side is Process, which it talks to over connected sockets, and Supervisor, which
// keeps one worker as long as there are calls. The worker's side is Connection and Limits.Apply.
// What travels over the sockets is the adapters' own, and so are pools of several workers.
//
// A worker has an empty environment, and sees its own program and the directories that it was
// given, by the kernel's Landlock. It gives up sockets, programs and other processes by a filter of
// system calls. The kernel ends it together with the service.
package workerprocess
