// Package evals holds the tasks of `atelier eval`, embedded: a folder each, with
// task.json, the files that are laid over the template, and solution.json, one way
// to carry the task out, which only tests read.
package evals

import "embed"

// Tasks has one folder a task below "tasks", and below "first-pages" those of the set that judges
// how first pages look. "faults" has the changes that bootstrap/evals/faults plants.
//
//go:embed all:tasks all:first-pages all:faults
var Tasks embed.FS
