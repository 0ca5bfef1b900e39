// Package rest is the web kit on which the API's handlers stand: the router and its
// table of routes, requests that are read strictly, and answers as the contract wants
// them. It knows no use case.
//
//   - Open and Call make a Route, NewRouter the Router of a table. It answers 404 and
//     405, serves HEAD by GET, and never cleans a path.
//   - A Handler takes a Request: its parameters (ID, Param, Query), its body (Decode for
//     JSON, Uploads.Read for content) and its caller. What it returns as an error is
//     rendered by WriteFailure, with the status of its code.
//   - WriteJSON, WriteItems, WritePage and WriteNothing answer; Cursors seal the places
//     between pages; ServeContent and ServeWhole answer conditional requests and ranges.
package rest
