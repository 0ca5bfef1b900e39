// Package projects has the handlers of projects: making, importing, exporting and listing
// them, their versions, variables, previews, published sites and domains.
package projects
