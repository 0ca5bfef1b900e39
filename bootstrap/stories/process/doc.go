// Package process runs the binary in tests. The binary is built once, started on a free
// port, killed or stopped, and started again on the same data.
//
// The binary is built like the tests, with the race detector if they have it. A race in a
// service fails the test that kills or stops it.
package process
