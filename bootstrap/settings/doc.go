// Package settings reads the settings from the environment and checks them once. A
// mistake is one line that names the variable, its value and what it accepts, and shows
// no secret.
//
// # Adding a setting
//
// Add a field to Settings and its line to Read, with a preset and what it takes. The README of
// bootstrap/atelier lists the settings; a test there holds its table to what Read asks for. The
// wiring in bootstrap hands the value to what it is for, as a type of its own where wire could
// mix it up with another. A secret's name also goes into the list in secretfile.go, so that
// its value can be in a file.
package settings
