// Package browser opens pages in memory: links, forms and pictures of one colour. It runs no
// scripts. Of an inline script it knows four statements, for tests of what happens then:
//
//	throw new Error("…")
//	console.error("…")
//	console.warn("…")
//	new EventSource("…")
package browser
