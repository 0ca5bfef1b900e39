// Package checks tests the stories of checks: what people and the agent keep of how a project's
// pages behave.
package checks
