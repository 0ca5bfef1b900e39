// Package rules checks the sources of this module against its rules: which way imports
// go, which package owns a third-party module, what no package has, and how large a
// package may be. For each rule a test shows that it finds violations.
package rules
