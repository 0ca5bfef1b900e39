// Package mentions gives the model what a message refers to: the text of files as it is now, and
// the elements that a person picked on the page.
package mentions
