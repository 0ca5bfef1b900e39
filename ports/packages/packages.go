// Package packages is the port to a registry of JavaScript packages.
package packages

import "context"

// Resolver brings a project's dependencies into a store that all projects share.
type Resolver interface {
	// Install resolves the ranges to versions, locks them so that the same ranges
	// give the same versions ever after, and makes every package available, its
	// integrity checked. It runs nothing that a package brings. Once it has
	// succeeded it needs no network for the same dependencies again. A resolver may
	// remove packages that nobody has installed for weeks: then it fetches the
	// locked versions anew.
	//
	// A range that is malformed or that no version satisfies, a package that does
	// not exist, one whose archive is malformed or too large, and more than
	// MaxDependencies dependencies have code core.CodeValidationFailed with a message
	// for the person who wrote them; content that does not match its integrity, a
	// registry that cannot be reached and a full disk core.CodeUnavailable. The
	// message names the package.
	Install(ctx context.Context, dependencies map[string]string) (Set, error)
}

// MaxDependencies is how many dependencies a project may name. The largest
// applications name about two hundred.
const MaxDependencies = 500

// Set is an installed set of packages.
type Set struct {
	// Dir is an absolute path on the local file system: it holds node_modules,
	// which nobody may change. "" when there are no dependencies.
	Dir string
	// Key names the set by its content: equal keys, equal packages.
	Key string
}
