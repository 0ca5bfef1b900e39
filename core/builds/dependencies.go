package builds

import "io/fs"

// Dependencies returns the dependencies of a project with these files: ranges of
// versions by the name of the package, none without a package.json. An invalid
// package.json has code core.CodeValidationFailed.
func Dependencies(files fs.FS) (map[string]string, error) {
	asked, err := readManifest(files)
	return asked.dependencies, err
}
