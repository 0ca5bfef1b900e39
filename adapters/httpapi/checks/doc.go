// Package checks has the handlers of the checks of projects (contract, section 11).
package checks
