// Package cluster plays one service that is made of several processes of the binary:
// two that serve, one or two with the rooms, on one PostgreSQL and one NATS server, with
// the projects on a disk that they share. Its folder examples shows how such a service is
// set up on several machines.
package cluster
