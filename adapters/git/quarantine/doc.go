// Package quarantine receives packs from elsewhere, checks what they bring, and adopts it
// into a repository.
//
// A quarantine is one file aside in the repository, bounded in bytes, objects, unpacked
// bytes, depth and the work of deltas (resolve.go). The gate (gate.go) then checks every
// commit in the pack and not only the tip, since any stored commit can be restored: modes,
// core.ParsePath for every name, lengths, order, sizes, and presence of all that is named. So
// a push brings nothing, in any version, that the file API refuses. Names that differ in
// case alone are as good as they are for the file API. An import's newest version may have
// odd entries, such as links: Files leaves them out (files.go).
//
// A quarantine is filled before anybody holds the project's lock, so its file says itself
// whether it is in use (file.go). Its process holds the kernel's lock of the file, and its
// name has the boot of the machine (boot_id) on which that lock counts. Repairing a repository
// removes quarantines that no process has locked. One of another machine or another boot goes
// only after an hour without a write, because a directory that machines share may not share
// its locks.
package quarantine
