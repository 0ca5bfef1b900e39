// Package npm resolves, verifies and stores packages of the npm registry,
// without Node.
//
// The store has one copy of every package and one directory for every way in
// which its dependencies are wired:
//
//	content/<digest>/                             files of a package, unpacked once
//	v/<name>@<version>-<closure>/node_modules/    the package (hard links into content)
//	                                              and a link for each dependency
//	sets/<key>/node_modules/                      a link for each direct dependency
//	locks/<ranges>.json                           what a set of ranges resolved to
//	tarballs/<digest>                             archives that the mirror has handed on
//	packuments/<digest>                           and what it knows of packages
//	unsynced/                                     which contents a power cut could tear
//	tmp/                                          what is not complete yet
//	lock                                          held while uses are noted and things removed
//
// Every directory is made in tmp and renamed into its place, so it is there
// complete or not at all, also for other processes. Files are read-only, since
// all projects share them. Nothing that a package brings is ever run.
//
// The modification time of an entry of the store is that of its last use. Sweep
// removes what was not used for long.
//
// A seed (packages.json and archives) holds packages that need no network. The
// program carries one, for the built-in templates.
//
// Mirror is a registry over HTTP for the package managers of the sandbox, on the
// same store.
//
// # Locks and the seed
//
// What a set of ranges resolved to is locked forever by the digest of the ranges, so equal
// package.json files give one set to all projects. The program's seed (archives as published,
// and what the registry says of them) is asked first: a range that the seed satisfies needs no
// network. The built-in templates preview and publish offline, and a person who adds a
// dependency fetches that one alone. Packages that are tied by their peers, such as react and
// react-dom, come from the seed together or not at all. `make seed` renews the seed; a test
// fails while it does not fit the templates, and the story offline_test.go in
// bootstrap/stories/sites plays create, preview and publish with only a loopback network.
//
// # What is fetched
//
// Registries belong to the operator and may be on a private network. Their tokens go to their
// own host only. Every other address, such as that of an archive or a redirect, is checked by
// adapters/internal/addresses at the moment of connecting. What a project names must come from
// a registry: addresses, git and files are refused (spec.go). An archive is
// compared with its digest before it is unpacked (tarball.go, integrity.go). Scripts of packages
// never run. Dependencies, versions, bytes, files, time and bytes a second are bounded.
//
// # Crashes and power cuts
//
// A set is used before it is synced, because syncing thousands of files takes longer than
// unpacking them. A write-ahead note in unsynced/ names the contents and the boot of the
// machine (boot_id). It is durable before the contents get their names, and goes a second
// later, once all is synced. The end of a process loses nothing. After a power cut, the next
// process that opens the store removes what a note of an earlier boot names (syncnotes.go).
// Locks are synced at once.
//
// # Sweeping
//
// Sweep is a cache eviction that runs every six hours. It removes what nobody used for 30
// days; while the store exceeds NPM_STORE_BYTES it removes the least recently used first
// (LRU), but never what was used within a day. A use is noted under a shared flock. A removal
// looks again under the exclusive one and renames the entry into tmp before it deletes it, so
// neither a running build nor a crash ever sees half a package. Locks are never swept:
// fetching again gives the same packages.
//
// # The mirror
//
// Mirror is a read-only registry for package managers in the sandbox. It forwards nothing of
// its clients, compares archives with their digests before it hands on a byte, revalidates
// documents after a minute, and serves what it has seen while the registry cannot be reached.
package npm
