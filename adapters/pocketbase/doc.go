// Package pocketbase holds the data of projects' backends in PocketBase, used as a library.
//
// Each place (backend.Place) is a PocketBase application with a SQLite database and files of
// its own, opened at its first use and closed after ten idle minutes, or for another when too
// many are open (room.go). The Engine must not run
// in the service's own process: PocketBase evaluates filters and decodes images of strangers,
// and a panic in one of its goroutines ends the process. adapters/dataworker runs it in a
// worker process.
//
// # What is served
//
// Only the part of PocketBase's interface that end users need (routes.go). There are no
// superusers in any database; the project's members are one for the time of a request
// (Identity.Owner). PocketBase's own mails, settings, logs and scheduled backups are off.
//
// # Durability
//
// Databases are opened with synchronous=FULL, unlike PocketBase's own, so an acknowledged
// write survives a power cut. A schema is applied in one transaction. Snapshots are copies of
// the database (VACUUM INTO) with hard links to the files, which never change under a name. A
// restore exchanges two directories in one step of the kernel.
//
// # Who waits for whom
//
// A request that is not a stream holds its data set's gate while PocketBase works on it, but
// neither while the body arrives nor while the answer leaves: both are buffered. So whatever
// needs the gate alone (a schema, a snapshot, a restore, closing) waits for requests of a few
// seconds at most.
package pocketbase
