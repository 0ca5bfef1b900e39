// Package bootstrap turns settings into a running service: what every injector
// shares. The injectors stand below it: local on SQLite and the disk, inmemory on
// fakes throughout.
package bootstrap
