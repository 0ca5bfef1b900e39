// Package cluster tests one service that consists of several processes of the binary: two
// that serve, and one or two with the rooms, on one PostgreSQL, one NATS server and a
// shared disk of projects. Its folder examples shows how to set up such a service on
// several machines.
package cluster
