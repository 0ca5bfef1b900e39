// Package files is the one way to a project's files: it keeps the disk, which is the truth,
// the repository, the cache and the project's followers in step.
//
// Service is for people and asks the gate; Pipeline and its parts are for use cases. There is no
// second write path. A PUT, a bulk, and the agent's tools go through Writer.Apply; what is typed
// in a room goes through Writer.Amend, which plans and applies under one lock. Commands of the
// agent write to the disk themselves, as anybody with a shell could; Reconciler.Reconcile then
// brings everything else in step.
//
// # The lock
//
// Every part gets at projects through the same type, projects, which locks them (lock.go). It
// has four levels of locking: lock, lockReconciled, lockSaved and lockForChanges. Each returns a
// lockedProject. Operations that need the lock are its methods, or methods of a type that holds one
// (creation, reconciliation, arrival, ledger).
//
// # A write
//
// service.go refuses a file that is too large (checkSize), after the handler has cut its body
// off (adapters/httpapi/rest/uploads.go). A write takes the project's lock (ports/locks), asks
// the gate again (Pipeline.As), checks If-Match (optimistic locking), and lets the tree write a
// temporary file, sync it, rename it and sync the directory. Then the repository stages the
// blob, the store changes the file's row, and the bus tells the followers. Only then is it
// acknowledged: the file and its directory are synced, the blob and the index are synced, and
// SQLite has committed with synchronous=FULL.
//
// # A crash in the middle
//
// If anything fails after the disk write, the answer is an error, and the next touch of the
// project reconciles cache and index with the disk, as the first touch after a start does.
// Nothing acknowledged is lost. freshness.go remembers in the process which projects are in
// step.
//
// With several processes the database remembers as well (marks.go). Before the first change of
// the disk under a lock, the project is marked in the database (file_revisions.unsettled): a
// write-ahead note. The change of rows that ends a save removes the mark in its own
// transaction, which is why index and rows are changed one after the other there and not in
// parallel. Work of several steps, such as a reconciliation that found something or a version
// that arrives, keeps its mark until the lock is released; after a failure the mark stays. So
// a mark on a project whose lock is free tells of a dead process.
//
// Writers look for a mark once they have the lock, and listings with the query that asks for
// the revision anyway; both then reconcile. A listing waits at most a second for the lock, and
// after that no listing of its process waits again for a second (five, if it got no lock). The
// change of a living writer is not acknowledged yet, so the cache answers for it. A process
// that is alone sets no marks and looks for none.
package files
