// Package cluster plays one service that is made of several processes of the binary: two
// that serve, one or two with the rooms, on one PostgreSQL and one NATS server, with the
// projects on a disk that they share. bootstrap/examples/cluster shows how such a service is
// set up on several machines; nginx_test.go and caddy_test.go put its balancers in front.
//
// # Faults
//
// faults_test.go kills, halts and stops the processes, fills their disk or slows it down
// (slow_test.go), and cuts, slows and silences their connections to PostgreSQL and NATS
// (wire_test.go), while people write, read, type and talk to the agent (load_test.go). Then
// invariants_test.go checks that no acknowledged write is lost, every word is there once,
// every message has one answer without gaps, disk and processes agree, and nobody is locked
// out.
//
// `make test` plays each fault once. `make soak` plays the kills ROUNDS times and the others
// a tenth as often, and lets the clocks of single processes jump (clock_test.go, with a
// standard library whose clock can jump).
package cluster
