// Package sdk writes a TypeScript client from the OpenAPI document: one file without
// dependencies, for browsers, Node.js 20, Deno and Bun. The service offers its own at
// GET /sdk.ts.
//
//	write.go    the file: its head, the types, the class with a method for each operation
//	types.go    JSON Schema as types of TypeScript
//	method.go   an operation as a method
//	runtime.ts  what all methods share: the call, errors, streams of events
package sdk
