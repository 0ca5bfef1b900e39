// Package backends gives projects a backend: records, end users, files and realtime. A backend.Engine stores the data.
//
// # The schema
//
// A project has a backend if it has the file backend/schema.json (schemafile.go). A mistake
// in it is a diagnostic with line and column (jsontree.go). Ids are optional: resolve.go gives
// every collection and field its id in the schema in force, by name where needed. A plan
// (plan.go) is the list of steps from one schema to another. Some steps lose values.
//
// # Two environments
//
// Test data, which previews use, follows the file: Sync applies the safe steps. A step that
// would lose values is pending until a member confirms it, and an invalid file is a
// diagnostic. In both cases the last valid schema stays in force. The seed file fills test
// data that has no records. None of this is stored: the pending plan is computed from the
// file, the schema in force and the records. Its id depends on all three, so a member can
// only confirm the plan that they have seen.
//
// Live data, which the published site uses, follows at publish.
//
// # Snapshots
//
// The engine stores the data of a snapshot, and the database its creator and reason
// (snapshotnotes.go). The record is a write-ahead note: it is written before the engine
// begins, and removed after the engine has deleted. Leftovers of a crash become due for
// removal, like expired snapshots. The next daily snapshot of live data is a planned record
// in the same table, so one worker does both (snapshotclock.go).
//
// Before the schema of test data changes, a snapshot of them is made. With it, the restore of a
// version can bring back test data that fit the version (TestDataWith): a note holds the fingerprint
// of its data's schema, which the schema in force and every schema file have alike (printOf).
package backends
