// Package evals gives the agent tasks and judges the results. It runs the whole core over
// in-memory adapters, with the real templates and the real builder. `atelier eval` runs
// it.
//
// # Adding a task
//
// A task is a folder below testdata/evals/tasks with task.json, the files that it needs and a
// solution.json; the README there has the format. The tests demand that the solution passes,
// and that every check fails for an agent that does nothing or deletes everything.
package evals
