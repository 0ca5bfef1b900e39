// Package backends has the handlers of projects' backends: their state and schema, and the
// records of their test and live data.
package backends
