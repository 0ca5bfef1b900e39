// Package backends tests the stories of projects' backends: test data that follows the schema
// file, live data that follows at publish, and members who work with the records of both.
package backends
