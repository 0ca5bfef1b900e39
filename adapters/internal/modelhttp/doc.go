// Package modelhttp is what the adapters of model vendors share: one request over a client
// that sends its key nowhere else, a streamed answer that may neither stall nor fill the
// memory, tool calls put together from pieces, and the error texts. What a vendor's JSON means
// stays in its adapter.
//
// The decoders of the vendors' streams are our own, because the vendors' SDKs add tens of
// megabytes and give up on the quirks of compatible servers.
//
// # Adding a vendor
//
//  1. Write an adapter on this package, in adapters: a request, a decoder of its stream, and
//     Models. It passes the suite ports/ai/aitest and recorded streams in testdata.
//  2. Add its core.ProviderKind, and its line in bootstrap/vendors.go.
//  3. Add the context windows, longest answers and prices of its models to
//     core/models/catalogue.json.
//  4. If its server tells a model's window only where it has loaded it, make the adapter an
//     ai.WindowReporter, and an ai.Loader if it loads models.
//  5. Add its words for a conversation that is too long to limits.go, with one of each in
//     testdata/refusals.
//  6. If it is known what its own models can do, add its host to core/models/declared.go.
//
// `atelier eval` (bootstrap/evals) then says how well it does.
package modelhttp
