// Package projects makes, lists, changes and deletes projects.
//
// Every creation is recorded last: a project's tree is made before its row, and Sweep removes
// a tree for which no row came after a crash.
//
// # Import and export
//
// An import of an archive (import.go, archive.go) checks the archive's whole directory before a tree is
// made, then unpacks file by file into files.Lifecycle.CreateFrom. An attack refuses the archive, an
// entry that is merely odd is left out and noted. An export writes the listed files in the order of
// their paths.
//
// An import of a git repository (importgit.go) is a clone into the quarantine of a new
// project, through netguard, over HTTPS (HTTP under PRIVATE_NETWORKS=allow), within two
// minutes and 256 MiB. The newest version must pass the gate of adapters/git, but for entries that
// are merely odd, else nothing is left. Its history comes along when all of it passes as it is, else
// the newest version comes alone as "Imported from …", without those entries. The history is noted
// before the project's record is stored and becomes the project's after it, so after a crash Sweep
// finds a tree without versions and removes it. Credentials in the address go into a header for that
// host alone.
//
// # Duplicate
//
// A duplicate (duplicate.go, files.Lifecycle.Duplicate) is made under the source's lock,
// records included, so that no event of a copied chat names a version that the copy lacks. The
// order is: an empty tree, a repository without versions, files, objects, then in one step the
// versions, then all rows in one transaction. If the rows never come, Sweep removes the copy:
// its repository carries a note (.git/atelier/duplicate) from the moment the versions appear
// until somebody begins to work with it.
//
// Only objects that the versions and the index name are copied, in a new pack: what somebody
// once staged and never committed does not travel to another workspace. Contents are copied,
// not linked, because commands write in place. Logs and images are copied inside the database.
// A run that is under way ends in the copy with "interrupted", and one ended run represents
// all runs that its images belong to.
//
// # Templates of workspaces
//
// A shared template (gallery.go, share.go) is an export in the database, read again if somebody
// changed the project meanwhile. Creating a project from it is Create with an import for files, so
// names, quotas and the one version are those of any template. The database keeps it, so
// nothing is left half-made after a crash, backups have it, and it ends with its workspace.
package projects
