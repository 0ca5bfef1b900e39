// Package faults measures which mistakes a run notices by itself. It plants changes in projects that
// work: faults, which build and break what a page does, and sound changes, which only alter how it
// looks or how it is written.
//
// A scripted model makes each change in a run of the agent, as a poor model would, and says that it
// is done. A fault is caught if the run does not believe that: because the first page does not work
// (core/agent/smoke.go), or because a check of the project fails (core/checks). A sound change that
// sends the run on is a false alarm.
//
// The program is the in-memory one with the real builder, real packages and the real browser.
// `atelier eval -set faults` prints the result; the test here holds its bars. The changes are in
// testdata/evals/faults, whose README has their format.
package faults
