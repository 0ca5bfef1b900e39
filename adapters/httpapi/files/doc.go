// Package files has the handlers of a project's files: their content, now and in a
// version, search, direct saves and type checks.
package files
