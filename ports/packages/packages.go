// Package packages is the port to a registry of JavaScript packages.
package packages

import "context"

// Resolver brings a project's dependencies into a store that all projects share.
type Resolver interface {
	// Install resolves the ranges to versions, locks them so that the same ranges
	// give the same versions ever after, and makes every package available, its
	// integrity checked. It runs nothing that a package brings. Once it has
	// succeeded it needs no network for the same dependencies again.
	//
	// A range that is malformed or that no version satisfies, a package that does
	// not exist, and one whose archive is malformed or too large have code
	// core.CodeValidationFailed with a message for the person who wrote it; content that does not match its integrity, a registry
	// that cannot be reached and a full disk core.CodeUnavailable.
	Install(ctx context.Context, dependencies map[string]string) (Set, error)
}

// Set is an installed set of packages.
type Set struct {
	// Dir is an absolute path on the local file system: it holds node_modules,
	// which nobody may change. "" when there are no dependencies.
	Dir string
	// Key names the set by its content: equal keys, equal packages.
	Key string
}
