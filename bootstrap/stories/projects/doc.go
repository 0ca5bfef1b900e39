// Package projects tests the stories of projects and their files: creating, importing,
// duplicating, versions, undo, environment values, pictures, type checks, and a program that
// uses the client in TypeScript.
package projects
