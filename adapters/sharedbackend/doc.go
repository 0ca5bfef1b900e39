// Package sharedbackend is the engine of a service of several processes: each project's data is
// held by one of them, and the others forward to it.
//
// # Who holds a project's data
//
// The first process that needs it claims it in the database (storage.DataClaims), for 9 seconds
// that it extends every 3. The claim has a fencing token, with which its engine takes the data over
// (backend.Holder), and the address at which the others reach it. Data that nobody has used for a
// while is let go, and so is all data of a process that ends well.
//
// A claim that could not be extended ends here two seconds before it ends for others: from then on
// nothing is acknowledged, and streams are cut off. The clock may stand still, as that of a machine
// that is suspended does. Then the token fences: the engine finds that its directory is gone, and
// does not acknowledge.
//
// A killed process is followed by another once its claim has ended. Until then its projects' data
// is not available (503).
//
// # What travels
//
// Processes speak datawire over TLS with each other. Both ends have the same key, which is derived
// from the installation's secret, and insist on that of the other.
package sharedbackend
