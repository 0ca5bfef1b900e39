// Package bunstore is the store on SQL databases: SQLite and PostgreSQL, through bun. The two
// differ only in the type dialect and in the folders of package migrations.
//
// Migrate (migrate.go) brings a database to the current schema. bootstrap/local calls it when it
// opens the store, unless AUTO_MIGRATE=off.
//
// # Locks between processes
//
// Locks (postgres_locks.go) are PostgreSQL's advisory locks, behind a keyed lock in memory, so
// a record takes at most one connection of a process. They have a connection pool of their own
// (24), because the work under a lock needs the connections of the store. A pooler between
// service and server has to keep sessions (PgBouncer: pool_mode=session).
//
// PostgreSQL releases the locks of a process that dies. A process that is suspended keeps its
// sessions. So a holder sends a heartbeat over the lock's session once a second, and a process that
// waits for the lock ends a session that has been silent for 10 s. A holder that continues
// after that finds out before its next step: code that changes a tree, a repository or rows
// calls locks.Check right before, which makes no call while the last sign of life is fresh.
// The next holder clears away unfinished steps. The comment of Locks says what that leaves
// open.
//
// # The clock
//
// Leases and claims, by which processes judge each other, use the database's clock
// (storage.Store.Now, clock.go). A machine whose own clock is wrong or jumps takes nothing
// from the others.
package bunstore
