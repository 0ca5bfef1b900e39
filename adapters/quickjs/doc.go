// Package quickjs runs functions of projects in QuickJS, translated to Go.
//
// Every call has a virtual machine of its own, in which the scripts of web define what programs
// for the web expect: Request, Response, fetch, URL, crypto.subtle and so on. Everything outside
// is one Go function, isolateHost, which the first script takes away from the function's code.
// What it is given is checked here as if the code had kept it.
//
// # Turns
//
// A call is a loop on one thread (isolate.go): start the function, and then, for as long as it has
// not answered, deliver what has arrived, be it an answer of the host or a timer. Calls of the host
// run on goroutines of their own. The thread's processor clock measures the function; a watchdog
// interrupts the machine at the bound.
//
// # What the machine cannot stop
//
// QuickJS looks for interrupts between instructions, but some of its built-in functions loop by
// themselves: [].indexOf over an object with the length 1e15 takes years. The watchdog then gives
// up on the thread: Run returns a failure, and Runner.Stuck tells that the process should end once
// its other calls have. adapters/functionworker does so, and it survives what ends a process.
package quickjs
