// Package checkout keeps a project's files in a folder of a person's machine, as a git
// repository that stock clients can use as well. It needs no git program.
//
// # What it never loses
//
// Update (atelier pull) brings the project's newest version into the folder. A file that one
// side changed is taken from it, a text that both changed is merged line by line. If they
// conflict, nothing is changed unless the caller asks for both texts with markers. Each file is
// replaced whole, and only if it still is what was merged. An update that is interrupted can be
// repeated.
//
// Push (atelier push) makes one version of what changed. It is refused if the project has
// changed since the last Update, and nothing forces it. The branch moves only when the service has
// accepted the version, so that one that it refuses stays in no history.
//
// Where the folder has commits of its own that the project lacks, Update leaves the branch as it
// is and notes the other version in MERGE_HEAD, as git does; the next Push makes the merge.
//
// A Mirror (atelier dev) carries single files both ways while people edit on both sides; its
// comment says what becomes of conflicts.
//
// Names of files come from the service: they go through core.ParsePath, and all access is below
// an os.Root, so that no name and no link leads out of the folder.
package checkout
