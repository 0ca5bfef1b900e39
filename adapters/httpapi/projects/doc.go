// Package projects has the handlers of projects: making, importing, exporting and listing
// them, their versions, variables, previews, published sites and domains.
//
// The archive of an import is streamed to a file of bounded size that has no name (import.go).
// The content of a single file is held in memory instead (rest.Uploads).
package projects
