// Package quickjs runs functions of projects in QuickJS, translated to Go.
//
// Every call has a separate virtual machine, in which the scripts of web define the usual
// APIs of the web: Request, Response, fetch, URL, crypto.subtle and so on. They reach
// everything outside through one Go function, isolateHost, which the first script hides
// from the function's code. Its arguments are checked nevertheless, as if the code had kept
// it.
//
// # Turns
//
// A call is a loop on one thread (isolate.go): start the function; then, until it has
// answered, deliver events, which are answers of the host and timers. Calls of the host run
// in separate goroutines. The thread's processor clock measures the function, and a
// watchdog interrupts the machine at the limit.
//
// # What the machine cannot stop
//
// QuickJS checks for interrupts between instructions, but some built-in functions loop
// without checking: [].indexOf on an object with the length 1e15 takes years. The watchdog
// then abandons the thread: Run returns a failure, and Runner.Stuck signals that the
// process should end when its other calls have. adapters/functionworker does that, and also
// survives code that crashes the process.
package quickjs
