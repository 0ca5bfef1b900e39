// Package rules checks the sources of this module against its rules: which way imports
// go, which package owns a third-party module, what no package has, and how large a
// package or a type may be. For each rule a test shows that it finds violations.
//
// The import rules are listed in ARCHITECTURE.md, "Which way imports go". importRules is the
// enforced list; `make generate` writes it into the linter's settings too. map_test.go holds
// ARCHITECTURE.md to being a map: short, and complete.
//
// # Third-party modules
//
// moduleOwners says which packages may import a module. A new module gets a row there and its
// reason here. Where the wanted module lacks something, the owner makes up for it.
//
//	uptrace/bun, pgx,           adapters/bunstore, migrations: one set of queries for both
//	modernc.org/sqlite          databases; SQLite without cgo
//	modernc.org/libc            adapters/pocketbase/bounded: the threads of that SQLite, which its
//	                            limits and the end of a statement need
//	uptrace/bunrouter           adapters/httpapi/rest: the router. target.go comes before it,
//	                            because it redirects and does not answer 405
//	golang-jwt/jwt              adapters/credentials: signs and parses tokens; "crit" and the
//	                            types of times are checked beside it
//	golang.org/x/crypto         adapters/credentials: argon2id
//	pquerna/otp                 adapters/credentials: makes secrets, addresses and codes of TOTP.
//	                            Codes are compared beside it, because it does not tell the step
//	                            of time, after which a code must not work again
//	go-webauthn/webauthn        adapters/webauthn: the ceremonies of passkeys, with CBOR, COSE and
//	                            every form of attestation. Its sessions are not kept: a challenge
//	                            is stored as a hash that works once
//	filippo.io/age              adapters/age: the encryption of backups; its format is a standard
//	                            that other programs read
//	minio/minio-go              adapters/s3: storage that speaks S3; the package comment there
//	                            compares it with the AWS SDK
//	johannesboyne/gofakes3      tests: a server that speaks S3, in the test's process
//	golang.org/x/oauth2,        adapters/oauth: the authorization code flow; discovery, keys and
//	coreos/go-oidc              signatures of OpenID. adapters/pocketbase hands it the guarded
//	                            client. Claims are checked once more beside it,
//	                            and its errors are not passed on, because they quote answers
//	wneessen/go-mail            adapters/smtp, adapters/internal/rfc5322: writes mails and hands
//	                            them in. What it counts as failed after the server took the
//	                            mail, and texts that look encoded, are handled beside it
//	emersion/go-smtp, go-sasl   adapters/smtp/smtptest: the mail server of the tests
//	pocketbase/pocketbase,      adapters/pocketbase: records, end users, files, realtime and a
//	dbx, ozzo-validation        language of rules in one library; dbx and ozzo-validation are its
//	                            queries and errors. The package comment there says which features are off
//	ganigeorgiev/fexpr          adapters/pocketbase/hidden: the parser of filters that PocketBase
//	                            itself uses, so that both read a filter alike
//	nats-io/nats.go             adapters/nats: reconnecting, pings, requests that the server
//	                            answers at once when nobody listens. Core NATS only
//	coder/websocket             adapters/websocket: WebSocket framing; small, kept, passes
//	                            Autobahn. Its read limit and closing handshake are replaced:
//	                            they know no 44xx and wait for a dead peer without a deadline
//	go-git                      adapters/git: objects, packs, deltas. The package comment there
//	                            says what is written by hand instead. bootstrap/client/checkout:
//	                            clones and pushes of people who have no git
//	ollama/ollama               adapters/ollama: the types of its API; its client hides broken
//	                            streams
//	evanw/esbuild               adapters/esbuild, adapters/markup: bundles in process; tells
//	                            where the elements of JSX begin
//	Masterminds/semver          adapters/npm: version ranges
//	prometheus/client_golang    adapters/httpapi/observe: metrics
//	felixge/httpsnoop           adapters/sitehost/accesslog: status and size of answers, without
//	                            hiding what else a connection can do
//	go.opentelemetry.io,        adapters/otlp: the SDK of traces and their encoding. Its exporter
//	google.golang.org/protobuf  links gRPC, six megabytes of it, so the POST is written beside it
//	gopkg.in/yaml.v3            adapters/httpapi/manual: reads openapi.yaml, once; tests read
//	                            the compose example
//	modelcontextprotocol/go-sdk adapters/httpapi/mcp: the official SDK of the Model Context
//	                            Protocol, and in adapters/mcpclient and stories its client. Batches, plain-text errors
//	                            and what keeps a connection open are refused beside it
//	getkin/kin-openapi          tests of adapters/httpapi: holds openapi.yaml to OpenAPI 3.1
//	santhosh-tekuri/jsonschema  adapters/httpapi/conform: compiles the description's schemas,
//	                            for tests
//	andybalholm/brotli          adapters/internal/compress: brotli
//	modernc.org/quickjs         adapters/internal/jsmachine, adapters/internal/tailwind: runs
//	                            Tailwind's compiler and projects' configurations without Node
//	                            and without cgo, with limits of memory, stack and time.
//	                            adapters/quickjs: runs
//	                            functions of projects; what no program for the web can do
//	                            without is written beside it
//	miekg/dns                   adapters/nameservers: asks single servers without recursion and
//	                            over TCP, which net.Resolver does not
//	caddyserver/certmagic       adapters/acme: ACME with on-demand certificates, renewal (ARI),
//	                            storage that processes share
//	go.uber.org/zap             adapters/acme: silences certmagic
//	golang.org/x/net            adapters/esbuild, adapters/internal/splice: the HTML tokenizer;
//	                            bootstrap, bootstrap/settings: which names of fields are valid,
//	                            the public suffix list, international names as DNS writes them
//	golang.org/x/sys            adapters/disk, adapters/git, adapters/npm, adapters/bwrap,
//	                            adapters/buildworker, adapters/quickjs, adapters/pocketbase,
//	                            adapters/bunstore, adapters/internal: what
//	                            confines and syncs files on Linux (openat2, flock, syncfs),
//	                            limits of processes, the filter of system calls, a clock
//	golang.org/x/term           bootstrap/client: reads passwords without an echo
//	golang.org/x/sync           adapters: groups of goroutines
//	golang.org/x/text           tests: holds the tables of core/nfc_tables.go to Unicode's
//	chromedp                    adapters/chromium, tests of pages: drives Chromium
//	google/wire                 bootstrap: generates the injectors, which do not need it at
//	                            run time
//	matryer/moq                 a tool: generates test doubles that count calls
//
// Two things are not Go modules. React's Fast Refresh runtime, which previews of React
// projects need in the page, is a file in adapters/esbuild/preview/refresh. axe-core, the rules of
// accessibility, is fetched by the tests of bootstrap/stories/browser. The packages of the web
// page are in the package comment of adapters/studio.
//
// # Own code instead of a module
//
//	adapters/yjs                the package comment there says why
//	adapters/internal/modelhttp the vendors' SDKs add tens of megabytes and give up on the
//	                            quirks of compatible servers
//	core/nfc.go                 Unicode's normal form C, since core imports the standard library
//	                            only
//	adapters/git                the index and commits: go-git's are slow and not atomic. The
//	                            smart protocol and foreign packs: see there
package rules
