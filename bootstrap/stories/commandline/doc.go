// Package commandline tests the command line client: the real binary, called as people and
// scripts call it, against a service of the same binary.
package commandline
