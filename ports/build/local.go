package build

import (
	"path"
	"strings"
)

// LocalFolder returns the project's folder to which a version in the package.json of a
// folder leads, as in "file:packages/ui". Builders find the package there.
func LocalFolder(version, from string) (string, bool) {
	for _, scheme := range []string{"file:", "link:", "portal:"} {
		if at, found := strings.CutPrefix(version, scheme); found {
			folder := path.Join(from, at)
			isArchive := strings.HasSuffix(folder, ".tgz") || strings.HasSuffix(folder, ".tar.gz")
			return folder, !isArchive && folder != "." && !strings.HasPrefix(folder, "..") && !strings.HasPrefix(at, "/")
		}
	}
	return "", false
}
