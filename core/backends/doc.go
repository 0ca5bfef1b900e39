// Package backends gives projects a backend: records, end users, files and realtime (contract,
// section 10). What holds the data is a backend.Engine.
//
// # The schema
//
// A project has a backend if it has the file backend/schema.json (schemafile.go). Names match
// where ids are missing: resolve.go gives every collection and field the id that it has in the
// schema in force. From one schema to another lead steps (plan.go), of which some lose values.
//
// # Two environments
//
// Test data, which previews see, follows the file: Sync applies what is safe. A step that would
// lose values is pending until a member confirms it; a wrong file is a diagnostic. In both cases
// the last good schema stays in force. The seed file fills test data without a record. Nothing
// about this is stored: the pending plan follows from the file, the schema in force and the records,
// and its id from all three, so that confirming another plan than the one that was shown fails.
//
// Live data, which the published site sees, follows at publish.
//
// # Snapshots
//
// The engine has the data of a snapshot, the database who made it and why (snapshotnotes.go).
// The record is a write-ahead note: it is there before the engine begins, and gone after the
// engine has forgotten. What a crash leaves is due for removal by the clock, as what has expired.
// The next daily snapshot of live data is a planned record in the same table, so one worker
// does both (snapshotclock.go).
package backends
