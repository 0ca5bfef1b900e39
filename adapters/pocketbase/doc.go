// Package pocketbase holds the data of projects' backends in PocketBase, used as a library.
//
// Each place (backend.Place) is a PocketBase application with a separate SQLite database
// and directory of files. It is opened at its first use, and closed after ten idle minutes,
// or earlier if too many are open (room.go). The Engine must not run in the service's own
// process: PocketBase evaluates strangers' filters and decodes their images, and a panic in
// one of its goroutines ends the process. adapters/dataworker runs it in a worker process.
//
// # What is served
//
// Only the part of PocketBase's API that end users need (routes.go). No database has
// superusers; the project's members have their rights for single requests (Identity.Owner).
// PocketBase's own mails, settings, logs and scheduled backups are off.
//
// # Durability
//
// application.go opens a database with its durability and its time for queries; limits.go has the
// limits and their messages. Databases are opened with synchronous=FULL, unlike PocketBase's default, so an
// acknowledged write survives a power cut. A schema is applied in one transaction.
// Snapshots are copies of the database (VACUUM INTO) with hard links to the files, which
// never change under a name. A restore exchanges two directories in one system call.
//
// # Who waits for whom
//
// A request, unless it is a stream, holds its data set's gate while PocketBase works on it,
// but not while its body arrives or its answer is sent: both are buffered. So operations
// that need the gate exclusively (a schema, a snapshot, a restore, closing) wait for other
// requests for a few seconds at most.
//
// A request takes a place of its workspace, and each statement a turn while SQLite works on it
// (packages turns and bounded), so that the queries of one workspace do not stop the others. What
// has waited too long is a 503; the time of a query counts from when it runs.
package pocketbase
