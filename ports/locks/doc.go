// Package locks is the port to the keyed lock (a mutex per record) that serialises
// changes of one record, such as the writers of a project.
//
// With SQLite there is one process, and the locks are in memory (adapters/memory). With
// PostgreSQL they are advisory locks of the server (adapters/bunstore). Nobody takes a second
// lock under one.
package locks
