// Package checks measures kept checks: a publish that plays as many as a project can have. Which
// faults they catch is measured in bootstrap/evals/faults.
package checks
