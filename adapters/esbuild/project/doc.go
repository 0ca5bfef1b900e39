// Package project is what the builders of sites and of previews share: the sources of a
// project and a trace of what was asked of them, its configuration, environment and
// packages, its pages, and one run of esbuild over its modules (Bundle), which resolves
// every import itself and reads nothing else of the disk.
package project
