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
//	tmp/                                          whatever is not complete yet
//	lock                                          held while uses are noted and things removed
//
// Every directory is made in tmp and renamed into its place, so it is there
// complete or not at all, whatever process makes it. Files are read-only, since
// all projects share them. Nothing that a package brings is ever run.
//
// The time of change of a thing in the store is that of its last use. Sweep removes
// what was not used for long.
//
// A seed (packages.json and archives) holds packages that need no network. The
// program carries one, for the built-in templates.
//
// Mirror is a registry over HTTP for the package managers of the sandbox, on the
// same store.
package npm
