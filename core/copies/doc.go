// Package copies brings the files of a project and of a working copy together.
//
// A copy has a base: the version of the copy that holds the project's files before anything was
// changed in the copy. Three states of each file decide a merge: the base's, the project's and the
// copy's (file.go). A file that one side changed is taken from it; a text that both changed is merged line
// by line (package merge); anything else is a conflict.
//
// Merge brings the copy's changes into the project, as one version or not at all. Rebase goes the
// other way when that met conflicts: the copy gets the project's present files as its new base and
// its own changes on top, with the markers of git where both changed the same lines. Whoever then
// edits these places settles them, and the next Merge has nothing left to ask.
//
// The package knows no tasks: whatever works on a copy of a project can use it.
package copies
