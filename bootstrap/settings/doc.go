// Package settings reads what the environment says and checks it once. A mistake is one
// line that names the variable, what it got and what it takes, and shows no secret.
//
// # Adding a setting
//
// Add a field to Settings and its line to Read, with a preset and what it takes. README.md
// lists the settings; a test in bootstrap/atelier holds its table to what Read asks for. The
// wiring in bootstrap hands the value to what it is for, as a type of its own where wire could
// mix it up with another.
package settings
