// Package tasks tests the stories of the task board: tasks at work at once on copies of a project,
// and their merges.
package tasks
