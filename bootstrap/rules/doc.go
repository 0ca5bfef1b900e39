// Package rules holds the sources of this module to its rules: which way imports go, who
// owns a third-party module, what no package has, and how large a package may be. Each
// rule has a test that it bites.
package rules
