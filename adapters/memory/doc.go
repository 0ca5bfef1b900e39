// Package memory holds every driven port in memory. The adapters keep the ports'
// promises but survival of the process, and pass the same conformance suites as
// the real ones: tests, demonstrations and embedding hosts run on them.
package memory
