// Package backend holds the data of projects' backends in memory. It keeps the promises of
// ports/backend but survival of the process, and passes the same suite as the real engines:
// tests, demonstrations and embedding hosts run on it.
//
// A request (request.go) is embedded in what carries it out: a resource or a listing of records, an
// authentication, a confirmation by mail, a draft of a record that is written. Package records holds
// the data, package rules decides who may see and do what, package sql runs queries and views.
//
// A place has one state, which never changes: a request reads the state of one moment, and a
// write puts a changed copy in its place. So snapshots and copies are other names of a state,
// and a batch that fails leaves nothing behind.
//
// Less is understood than by PocketBase: of SQL (queries and views) single SELECTs with joins
// and groups but without subqueries, of sign-ins no second factor, of pictures no
// thumbs, and of the functions of filters only geoDistance.
package backend
