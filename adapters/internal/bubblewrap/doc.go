// Package bubblewrap keeps commands in bubblewrap from outliving the process that started them:
// a gate at which it waits until the kernel looks after it, and its init, which takes
// all of it along.
//
// # Why there is a gate
//
// bubblewrap asks the kernel to end a sandbox together with its outer process, and that
// process together with the service. It asks only after some ten milliseconds of preparation.
// If the outer process ends before that, the command would run forever and no limit would
// reach it. So the shell inside waits at the gate (gate.go): it asks first, over a socket, and
// ends when nobody answers. bubblewrap's init asks the kernel only after it has started the
// shell. So the shell first leaves init an orphan, and asks at the gate once init has reaped
// it. To cancel is to kill the sandbox's init by its handle, never the outer process, which
// then ends by itself. Both the commands of adapters/bwrap and the browser of
// adapters/chromium (process.go) wait at a gate.
package bubblewrap
