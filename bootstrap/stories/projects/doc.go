// Package projects plays the stories of projects and their files: making, importing,
// duplicating, versions, undo, environment values, pictures, type checks.
package projects
