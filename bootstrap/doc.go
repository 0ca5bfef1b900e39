// Package bootstrap turns settings into a running service: what every injector shares.
// The injectors are in packages below it: local on SQLite and the disk, inmemory on fakes
// throughout.
//
// # Stability
//
// A program that embeds Atelier can rely on these packages. Within a major version their
// exported names keep their meaning and their signatures; what goes is marked Deprecated
// for one minor version first.
//
//   - bootstrap/local and bootstrap/inmemory: Host, Service, Parts, New, NewWith, Helper,
//     RunHelper, Settings;
//   - bootstrap: App and OpenProvider; bootstrap/settings: Settings and Read;
//     bootstrap/datadir: FillSecrets;
//   - core: the vocabulary, its ids, records, errors and codes;
//   - core/accounts, core/projects, core/files, core/chat and the other use cases that App
//     has fields for: their exported methods;
//   - ports/...: a port may gain a method in a minor version, which its in-memory adapter
//     has in the same release. Embed that adapter's type to compile across such a release;
//   - ports/<port>/<port>test: suites gain clauses in minor versions, since a clause says
//     what the port promised all along.
//
// Structs gain fields, so write composite literals with field names. Everything else may
// change in every release: adapters/... other than adapters/memory, migrations, and all
// other packages below bootstrap. The HTTP interface has its own promise, in the OpenAPI
// description.
package bootstrap
