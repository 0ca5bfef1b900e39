// Package memory holds every driven port in memory. The adapters keep the ports'
// promises but survival of the process, and pass the same conformance suites as
// the real ones: tests, demonstrations and embedding hosts run on them. The store, the
// trees and the repositories have packages of their own below this one, which makes them.
package memory
