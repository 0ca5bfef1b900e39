// Package locks is the port to the lock that serialises those who change one
// thing, such as the writers of a project.
//
// It is a keyed lock, a mutex for each record. With SQLite one process is alone and the locks
// are in memory (adapters/memory). With PostgreSQL they are advisory locks of the server
// (adapters/bunstore). Nobody takes a second lock under one.
package locks
