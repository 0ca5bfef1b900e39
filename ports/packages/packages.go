// Package packages is the port to a registry of JavaScript packages.
package packages

import "context"

// Resolver installs a project's dependencies into a store that all projects share.
type Resolver interface {
	// Install resolves the ranges to versions and locks them, so that the same ranges
	// always give the same versions. It makes every package available, with its
	// integrity checked, and runs no code of a package. After a success the same
	// dependencies need no network. A resolver may remove packages that were not
	// installed for weeks; it then fetches the locked versions again.
	//
	// It returns core.CodeValidationFailed for a range that is malformed or that no
	// version satisfies, a package that does not exist or whose archive is malformed
	// or too large, and more than MaxDependencies dependencies. The message is for
	// the author and names the package. It returns core.CodeUnavailable for content
	// that does not match its integrity, an unreachable registry, and a full disk.
	Install(ctx context.Context, dependencies map[string]string) (Set, error)
}

// MaxDependencies is how many dependencies a project may name. The largest
// applications name about two hundred.
const MaxDependencies = 500

// Set is an installed set of packages.
type Set struct {
	// Dir is an absolute path on the local file system: it holds node_modules, which
	// nobody may change. It is "" without dependencies.
	Dir string
	// Key identifies the set by its content: equal keys mean equal packages.
	Key string
}
