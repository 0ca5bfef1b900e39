// Package git keeps each project's history in a git repository inside its tree, at
// "<root>/<project>/.git".
//
// Everything happens in this process: no program is run, and neither configuration nor
// attributes, hooks or nested repositories are read. Packed objects are read with go-git. The
// index, objects and refs are written here, because go-git ignores index.lock, truncates the
// index in place and syncs nothing. The stock client may work in the same repository at the
// same time: locks, formats and write orders are git's own.
//
// The folder "atelier" in the repository belongs to this package. Once the project's lock is
// held, nobody uses its temporary files, except packs that processes are receiving. At every
// lock that this package takes there is a hard link to the file "lock", which tells its own
// stale locks from those of a stock client.
//
// The service runs on Linux: this package and disk use its system calls.
//
// # The protocol
//
// git clients speak smart protocol version 0, without state between requests; clients that
// offer version 2 fall back. The protocol and the reading of foreign packs are written here,
// because go-git's server acknowledges nothing while it negotiates, holds whole packs in
// memory and believes what a pack says of its sizes.
//
// A clone (upload.go, send.go) sends the last version with all its history, or the end of it
// for --depth. Staged edits that are in no version are not included: a GET changes nothing.
//
// # A push
//
// A push (receive.go) is received without the project's lock into a quarantine, where its
// size and its content are checked: see adapters/git/quarantine. A push brings nothing, in
// any version, that the file API refuses. Files that are only pointers of Git LFS are taken, and the
// client is told that their contents are missing.
//
// files.Arrivals.Take does the rest under the project's lock. No run may be at work. What
// people had staged becomes a version of theirs ("Edited by hand"), and a push that does not
// know of it is refused with "fetch first"; the types that the service itself has written after
// a pushed schema stay staged. Nothing that is in no version is overwritten. Then
// the objects are adopted, and a durable write-ahead note (vcs.Arrivals, the file
// atelier/arriving) says where the project is going. The files change through the same apply
// as every write, in batches; last, the ref moves and the note goes. After a crash in between,
// the next reconcile continues from the note; files that somebody edited meanwhile stay as
// edits. Commits keep their ids, so Log shows all lines of a merged history, by their times.
//
// # Other hosts
//
// Remotes fetches from servers over HTTPS, and pushes to them. A pull tells the server up to 256
// versions of the project and takes only what it lacks, through the quarantine of pushes. A push
// names the version that the branch has so far, and is refused here if the new one does not build on
// it, so no branch is ever forced. Its pack is written to a file first, because some servers want to
// know its length.
package git
