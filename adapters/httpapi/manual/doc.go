// Package manual serves an OpenAPI document: as JSON to programs and as a page without
// scripts to people. A Part is a place in the document, for what reads it in tests.
package manual
