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
//
// # Several processes
//
// With SQLite there is one process. With PostgreSQL several processes of the same binary
// serve one installation. Each has a data directory of its own; they share the database, the
// projects, the sites, and the secrets, which the settings insist on.
//
//   - A keyed lock of PostgreSQL serialises the writers of a project (adapters/bunstore).
//   - NATS carries notices between processes (adapters/nats). Without NATS_URL there is one
//     process, and notices go from goroutine to goroutine (bootstrap/local/between.go).
//   - A process that dies between disk and cache leaves a mark (core/files), one that dies in
//     a run leaves a lease that expires (core/chat), and one that dies with a room leaves a
//     claim that lapses (core/rooms).
//   - The data of an application is with one process, by a claim as well, and the others forward
//     to it (adapters/sharedbackend). Its log is on the shared disk before a write is
//     acknowledged, so that any process can take it over.
//   - "atelier collab" is the same program with the rooms alone (settings.PartRooms); "serve"
//     leaves them to it with COLLAB_EMBEDDED=off. Several collab processes share the projects
//     by the claims of rooms. A balancer that sends a project's sockets to the same process,
//     by the path, spares clients the second try.
//
// bootstrap/examples has the configuration of such an installation, and
// bootstrap/stories/cluster plays it.
package bootstrap
