// Package models holds the use cases around the AI models that a workspace's messages go
// to: its providers and their probed abilities, the operator's provider and people's own
// subscriptions. It also has what calls cost and who pays, and the modes in which the
// agent works.
//
// Credit is reserved before a model call and settled after it (credit.go). A reservation
// belongs to its run and goes with it, also when the process dies. A call to the platform's
// provider counts against the operator's limit of two people: the sender of the message, and
// the person who has owned the workspace longest (core.Funds). No limit of credit
// is for a day or a month: what was spent only grows. The use by day is for people to read.
//
// Prices and other facts of models are in catalogue.json (catalogue.go). The operator's files
// MODEL_CATALOGUE and MODEL_PRICES (prices.go) win over it; bootstrap/settings reads them when
// the program starts.
//
// Pictures have a price each, and are painted by the cheapest model of the provider that has one
// (paintings.go). The built-in prices hold at the vendors' own servers; any other server paints
// only with a price of the operator's.
package models
