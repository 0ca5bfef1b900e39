// Package client is the command line client of the program: it works with any installation of
// Atelier, over the public HTTP interface and git over HTTP.
//
// A command is a row of commands() and a function that declares its flags and returns its
// action. Actions return errors; fault.go turns each into a sentence, what to do next, and an
// exit code that scripts may rely on. With --json, results are on stdout (one value, or one a
// line of what goes on), and a failure is one JSON object on stderr.
//
// No secret is taken from the command line, where other users of a machine see it: credentials
// and environment values come from a prompt without echo, from stdin or, for API tokens, from
// ATELIER_TOKEN. Package logins keeps them. What others wrote is printed without control
// characters, so that it cannot steer the terminal.
package client
