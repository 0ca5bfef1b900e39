// Package rules holds the sources of this module to its rules: which way imports go, who
// owns a third-party module, and what no package has. Each rule has a test that it bites.
package rules
