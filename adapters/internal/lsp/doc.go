// Package lsp is a client of the Language Server Protocol (3.17) for a process whose input and
// output are pipes. Client implements languageserver.Server.
//
// The process reads hostile files, so whatever it says is bounded and checked: the length of a
// message, the number of entries, places, texts, and addresses of files. A message that breaks the
// protocol ends it, and so does an answer that takes longer than the port allows. The process asks
// for nothing that it gets: its requests are answered with nothing.
//
// One document is open at a time, that of the question. So an answer never depends on what another
// person has not saved.
package lsp
