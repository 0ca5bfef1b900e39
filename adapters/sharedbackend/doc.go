// Package sharedbackend is the engine of an installation with several processes: one
// process holds each project's data, and the others forward to it.
//
// # Who holds a project's data
//
// The first process that needs the data claims it in the database (storage.DataClaims) for
// 9 seconds, and extends the claim every 3. The claim has a fencing token, with which its
// engine takes the data over (backend.Holder), and the address at which the others reach
// the process. A process releases data that has not been used for a while, and all data
// when it shuts down.
//
// A claim that could not be extended ends here two seconds before it ends for others: from
// then on nothing is acknowledged, and streams are cut off. This does not help if the clock
// stops, as on a suspended machine. Then the token fences: the engine's directory is gone,
// so the engine does not acknowledge.
//
// If a process is killed, another takes over once the claim has ended. Until then the
// project's data is unavailable (503).
//
// # What travels
//
// Processes speak datawire over TLS. Both ends have the same key, derived from the
// installation's secret, and require it of each other.
package sharedbackend
