// Package evals runs tasks that people give the agent, on the whole core over
// in-memory adapters with the real templates and the real builder, and judges what
// came of them. It is what `atelier eval` does.
//
// # Adding a task
//
// A task is a folder below testdata/evals/tasks with task.json, the files that it needs and a
// solution.json; the README there has the format. The tests demand that the solution passes,
// and that every check fails for an agent that does nothing or deletes everything.
package evals
