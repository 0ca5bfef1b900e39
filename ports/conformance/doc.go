// Package conformance has the helpers that the ports' conformance suites and the tests
// of adapters share. The suite of a port is in a folder below it, named after the port
// plus "test": ports/ai/aitest tests every ai.Provider.
//
// # Adding a port
//
//  1. Write the interface in a package of its own, ports/<port>, which imports core and the
//     standard library alone. Its comments are the specification: who calls, when, on which
//     goroutine, and with which code each failure returns. No vendor's type is in a signature.
//  2. Write its suite in ports/<port>/<port>test: one function over a harness, a subtest for
//     each clause.
//  3. Write the in-memory adapter in adapters/memory and a real one in adapters/<technology>.
//     The test of each is one call of the suite.
//  4. Plug both in where wire assembles the programs (bootstrap/local, bootstrap/inmemory),
//     add a field to local.Parts so that hosts can replace the adapter, and run `make
//     generate`.
//  5. Name the port in ARCHITECTURE.md, and the owner of a new third-party module in
//     bootstrap/rules.
package conformance
