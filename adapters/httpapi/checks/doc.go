// Package checks has the handlers of the checks of projects.
package checks
