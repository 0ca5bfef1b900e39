// Package locks is the port to the lock that serialises changes of one thing, such as the
// writers of a project.
//
// It is a keyed lock, a mutex for each record. With SQLite there is one process, and the locks
// are in memory (adapters/memory). With PostgreSQL they are advisory locks of the server
// (adapters/bunstore). Nobody takes a second lock under one.
package locks
