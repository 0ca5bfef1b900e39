// Package versions has the use cases of a project's versions.
//
// # Undo of a run
//
// Undo is a three-way merge of each file (package merge). The base is the version, ours is the
// file now, and theirs is the content before the version. files.Committer.Revise plans and
// carries it out under the project's lock: it either makes one version, or lists all conflicts
// and changes nothing.
//
// # What a version changed
//
// patch.go renders a version as a patch from what vcs.History tells of two trees (Compare:
// paths, blob ids, modes; Content: one blob, bounded). The format is git's unified diff
// without renames, so that filesChanged, files and patch agree. A file is in the patch as a
// whole or not at all, so a patch that was cut still applies.
//
// # Restore
//
// A restore (files.Committer.Restore) reconciles first, so that changes which bypassed the
// service are kept. It commits what is staged by hand, stores the new commit beside the log
// (vcs.History.Recommit), and then moves the project there like a pushed version: Arrive, the
// files in batches, Settle. After a crash the next touch completes it. Something that is in no
// version, and in the way of a file, refuses the restore before anything happens.
//
// Test data go back only on request (testdata.go): a version's schema file tells which snapshot fits.
//
// # Versions of hand edits
//
// Hand and visual edits become a version after a minute's rest, a debounce (keep.go).
package versions
