// Package core is the vocabulary of Atelier: the words that every port, adapter
// and use case speaks, and the rules about them that need no input or output.
//
// It imports the standard library only. JSON tags stand where the public
// contract fixes the JSON; nothing here knows of a database or of HTTP.
package core
