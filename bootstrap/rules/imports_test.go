package rules

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// modulePath is the path of this module.
const modulePath = "github.com/atelierhq/atelier"

// importRule says what the packages in a place may import. Places are patterns of
// directories: "*" matches any part of one path element, "**" any number of elements,
// even none. "<port>" in the imports of a suite is the suite's own port. The first rule
// whose place matches a package applies. Every package may import the standard library,
// and third-party modules as moduleOwners says.
//
// Tests may import any package of this module except the programs: a use case is tested
// on adapters, an adapter beside another.
type importRule struct {
	number int
	place  string
	may    []string
}

// allows is what the rule lets a package import.
func (r importRule) allows(dir string) []string {
	parts := strings.Split(dir, "/")
	allowed := slices.Clone(r.may)
	for i, pattern := range allowed {
		if strings.Contains(pattern, "<port>") {
			allowed[i] = strings.ReplaceAll(pattern, "<port>", parts[1])
		}
	}
	return allowed
}

func importRules() []importRule {
	return []importRule{
		{1, "core", nil},
		{1, "core/ctxsync", nil},
		{1, "core/loglimit", nil},
		{1, "core/lru", nil},
		{1, "core/htmltag", nil},
		{1, "core/fair", []string{"core"}},
		{2, "ports/conformance", []string{"core", "ports/locks"}},
		{2, "ports/*", []string{"core"}},
		{2, "ports/backend/filter", []string{"core"}},
		{2, "ports/vcs/vcstest", []string{"core", "ports/vcs", "ports/worktree/**", "ports/conformance"}}, // a repository keeps the versions of a tree
		{2, "ports/*/*test/**", []string{"core", "ports/<port>/**", "ports/conformance"}},
		{3, "core/workspaces", []string{"core", "core/access", "core/addresses", "core/audit", "core/mailer", "core/webhooks", "ports/*"}}, // memberships are below the models and the agent
		{3, "core/backends/attack", []string{"core", "core/ctxsync", "ports/backend", "ports/backend/filter"}},
		{3, "core/**", []string{"core", "core/**", "ports/*"}},
		{5, "adapters/httpapi/rest", []string{"core", "core/fair", "ports/identity", "adapters/internal/**"}},
		{5, "adapters/httpapi/rest/resttest", []string{"core/accounts"}},
		{5, "adapters/httpapi/sse", []string{"core", "adapters/httpapi/rest"}},
		{5, "adapters/httpapi/manual", []string{"core", "adapters/httpapi/rest"}},
		{5, "adapters/httpapi/observe", []string{"core", "core/telemetry", "ports/tracing", "adapters/httpapi/rest", "adapters/internal/**"}},
		{5, "adapters/httpapi/guard", []string{"core", "core/accounts", "core/programs", "adapters/httpapi/rest", "adapters/internal/ratelimit"}},
		{5, "adapters/httpapi/**", append(drivingImports(), "adapters/httpapi/**")},
		{5, "adapters/sitehost", append(drivingImports(), "adapters/sitehost/accesslog")},
		{5, "adapters/sitehost/accesslog", drivingImports()},
		{5, "adapters/websocket", drivingImports()},
		{5, "adapters/studio", drivingImports()},
		{4, "adapters/bunstore", drivenImports("migrations")},
		{4, "adapters/acme/pebble", []string{"ports/conformance"}},
		{4, "adapters/oauth/exampleop", []string{"ports/conformance"}},
		{4, "adapters/esbuild/project", []string{"core", "core/lru", "ports/build", "adapters/internal/**"}},
		{4, "adapters/esbuild/styles", []string{"core", "core/ctxsync", "core/lru", "ports/build", "adapters/internal/**", "adapters/esbuild/project"}},
		{4, "adapters/esbuild/viteconfig", []string{"core", "core/lru", "ports/build", "adapters/internal/**", "adapters/esbuild/project"}},
		{4, "adapters/esbuild/prebuilt", []string{"core", "core/ctxsync", "core/lru", "ports/build", "adapters/internal/**", "adapters/esbuild/project"}},
		{4, "adapters/esbuild/preview", []string{"core", "core/lru", "ports/build", "adapters/internal/**", "adapters/esbuild/project", "adapters/esbuild/prebuilt"}},
		{4, "adapters/esbuild/site", []string{"core", "core/lru", "ports/build", "adapters/internal/**", "adapters/esbuild/project", "adapters/esbuild/prebuilt"}},
		{4, "adapters/esbuild", drivenImports("adapters/esbuild/**")},
		{4, "adapters/memory/vcs", []string{"core", "ports/*", "adapters/memory/worktree"}},
		{4, "adapters/memory/backend/**", drivenImports("ports/backend/filter", "adapters/memory/backend/*")},
		{4, "adapters/memory", drivenImports("adapters/memory/*")},
		{4, "adapters/git/**", drivenImports("adapters/git/*")},
		{4, "adapters/pocketbase/hidden", nil},
		{4, "adapters/pocketbase/reading", []string{"core", "ports/backend"}},
		{4, "adapters/pocketbase/bounded", nil},
		{4, "adapters/pocketbase/turns", []string{"core", "core/fair"}},
		{4, "adapters/pocketbase/views", []string{"core", "ports/backend"}},
		{4, "adapters/pocketbase", drivenImports("adapters/pocketbase/*")},
		{4, "adapters/**", drivenImports()},
		{4, "migrations", nil},
		{4, "bootstrap/stories/process", []string{"ports/conformance"}},
		{4, "bootstrap/stories/stock", []string{"bootstrap/stories/process", "ports/conformance"}},
		{4, "bootstrap/stories/storytest", []string{"core", "adapters/memory", "adapters/httpapi/**", "bootstrap", "bootstrap/*", "bootstrap/stories/process", "ports/conformance"}},
		{4, "bootstrap/client/remote", []string{"bootstrap/client/checkout"}}, // it is the other side of a mirror
		{4, "bootstrap/client/logins", []string{"bootstrap/client/remote"}},
		{4, "bootstrap/client/checkout", []string{"core", "core/merge"}},
		{4, "bootstrap/client", []string{"core", "bootstrap/client/*"}}, // it knows the service by its interface alone
		{4, "bootstrap/settings", []string{"core", "core/**", "ports/*", "adapters/**"}},
		{4, "bootstrap/datadir", []string{"adapters/bunstore", "bootstrap/settings"}},
		{4, "bootstrap/**", []string{"core", "core/**", "ports/*", "adapters/**", "migrations", "bootstrap/**", "testdata/evals"}},
	}
}

// drivingImports are the allowed imports of the adapters that call the use cases.
func drivingImports() []string {
	return []string{"core", "core/**", "ports/*", "adapters/internal/**"}
}

// drivenImports are the allowed imports of the adapters that the use cases call, and more.
func drivenImports(more ...string) []string {
	return append([]string{"core", "core/ctxsync", "core/fair", "core/htmltag", "core/lru", "ports/*", "adapters/internal/**"}, more...)
}

// moduleOwner says which packages may import a third-party module, and which others may
// in their tests.
type moduleOwner struct {
	module string
	owners []string
	tests  []string
}

func moduleOwners() []moduleOwner {
	return []moduleOwner{
		{"github.com/uptrace/bun", []string{"adapters/bunstore", "migrations"}, nil},
		{"github.com/jackc/pgx/v5", []string{"adapters/bunstore", "bootstrap/stories/storytest"}, []string{"bootstrap/**"}},
		{"modernc.org/sqlite", []string{"adapters/bunstore", "adapters/pocketbase/bounded"}, []string{"adapters/internal/walship"}},
		{"modernc.org/libc", []string{"adapters/pocketbase/bounded"}, nil},
		{"github.com/uptrace/bunrouter", []string{"adapters/httpapi/rest"}, nil},
		{"go.opentelemetry.io", []string{"adapters/otlp"}, []string{"bootstrap/stories/operation"}},
		{"google.golang.org/protobuf", []string{"adapters/otlp"}, []string{"bootstrap/stories/operation"}},
		{"github.com/prometheus/client_golang", []string{"adapters/httpapi/observe"}, nil},
		{"gopkg.in/yaml.v3", []string{"adapters/httpapi/manual"}, []string{"adapters/httpapi", "bootstrap/stories/cluster"}},
		{"github.com/getkin/kin-openapi", nil, []string{"adapters/httpapi"}},
		{"github.com/santhosh-tekuri/jsonschema/v6", []string{"adapters/httpapi/conform"}, nil},
		{"golang.org/x/text", []string{"adapters/httpapi"}, []string{"**"}},
		{"github.com/modelcontextprotocol/go-sdk", []string{"adapters/httpapi/mcp", "adapters/mcpclient"}, []string{"bootstrap/stories/agent", "bootstrap/stories/mcp"}},
		{"github.com/golang-jwt/jwt/v5", []string{"adapters/credentials"}, nil},
		{"filippo.io/age", []string{"adapters/age"}, []string{"bootstrap/**"}},
		{"github.com/minio/minio-go/v7", []string{"adapters/s3"}, nil},
		{"github.com/felixge/httpsnoop", []string{"adapters/sitehost/accesslog"}, nil},
		{"github.com/johannesboyne/gofakes3", nil, []string{"adapters/s3", "bootstrap/stories/operation"}},
		{"golang.org/x/crypto", []string{"adapters/credentials"}, nil},
		{"github.com/pquerna/otp", []string{"adapters/credentials"}, nil},
		{"github.com/go-webauthn/webauthn", []string{"adapters/webauthn"}, nil},
		{"golang.org/x/oauth2", []string{"adapters/oauth", "adapters/pocketbase"}, nil},
		{"github.com/coreos/go-oidc/v3", []string{"adapters/oauth"}, nil},
		{"github.com/pocketbase/pocketbase", []string{"adapters/pocketbase/**"}, nil},
		{"github.com/ganigeorgiev/fexpr", []string{"adapters/pocketbase/hidden"}, nil},
		{"github.com/pocketbase/dbx", []string{"adapters/pocketbase/**"}, nil},
		{"github.com/pocketbase/ozzo-validation/v4", []string{"adapters/pocketbase"}, nil},
		{"github.com/wneessen/go-mail", []string{"adapters/smtp", "adapters/internal/rfc5322"}, nil},
		{"github.com/emersion", []string{"adapters/smtp/smtptest"}, nil},
		{"github.com/go-git/go-git/v5", []string{"adapters/git/**", "bootstrap/client/checkout"}, nil},
		{"github.com/go-git/go-billy/v5", []string{"adapters/git/**", "bootstrap/client/checkout"}, nil},
		{"github.com/coder/websocket", []string{"adapters/websocket"}, []string{"bootstrap/**"}},
		{"github.com/nats-io/nats.go", []string{"adapters/nats"}, nil},
		{"github.com/ollama/ollama", []string{"adapters/ollama"}, nil},
		{"github.com/evanw/esbuild", []string{"adapters/esbuild/**", "adapters/markup"}, []string{"adapters/internal/tailwind", "bootstrap/tools/studio"}},
		{"modernc.org/quickjs", []string{"adapters/internal/jsmachine", "adapters/internal/tailwind", "adapters/quickjs"}, nil},
		{"github.com/Masterminds/semver/v3", []string{"adapters/npm"}, nil},
		{"github.com/andybalholm/brotli", []string{"adapters/internal/compress"}, []string{"adapters/sitehost"}},
		{"github.com/chromedp", []string{"adapters/chromium"}, []string{"bootstrap/stories/browser", "bootstrap/tools/peers"}},
		{"golang.org/x/net/html", []string{"adapters/esbuild", "adapters/esbuild/project", "adapters/internal/splice", "adapters/memory/browser"}, nil},
		{"golang.org/x/net/http/httpguts", []string{"bootstrap/settings"}, nil},
		{"golang.org/x/net/publicsuffix", []string{"bootstrap", "bootstrap/settings"}, nil},
		{"golang.org/x/net/idna", []string{"bootstrap"}, nil},
		{"github.com/miekg/dns", []string{"adapters/nameservers"}, nil},
		{"github.com/caddyserver/certmagic", []string{"adapters/acme"}, nil},
		{"go.uber.org/zap", []string{"adapters/acme"}, nil},
		{"golang.org/x/net/dns/dnsmessage", nil, []string{"adapters/netguard"}},
		{"golang.org/x/sys", []string{"adapters/bunstore", "adapters/disk", "adapters/git/**", "adapters/npm", "adapters/bwrap", "adapters/buildworker", "adapters/pocketbase", "adapters/quickjs", "adapters/internal/**"}, nil},
		{"golang.org/x/term", []string{"bootstrap/client"}, nil},
		{"golang.org/x/sync", []string{"adapters/**"}, nil},
		{"github.com/google/wire", []string{"bootstrap/**"}, nil},
	}
}

// testPackages are places whose packages only tests, and each other, import.
func testPackages() []string {
	return []string{"ports/conformance", "ports/*/*test/**", "bootstrap/stories/process", "bootstrap/stories/stock", "bootstrap/stories/storytest", "adapters/httpapi/conform", "adapters/httpapi/rest/resttest", "adapters/acme/pebble", "adapters/oauth/exampleop"}
}

// emptyNames are package names that say nothing about the content.
func emptyNames() []string {
	return []string{"util", "utils", "common", "helper", "helpers", "shared", "misc"}
}

// TestImportRules checks the sources against the rules of ARCHITECTURE.md, "Which way
// imports go". It parses the files itself, because the output of `go list` is not among
// the inputs of a cached test.
func TestImportRules(t *testing.T) {
	t.Parallel()
	found, err := parseSources(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"core", "core/*", "ports/*", "adapters/*", "bootstrap"} {
		if !found.has(place) {
			t.Errorf("found no package in %s: these are not the sources of this module", place)
		}
	}
	for _, violation := range found.violations() {
		t.Error(violation)
	}
}

// fits reports whether a directory fits a pattern of places.
func fits(pattern, dir string) bool {
	return fitsParts(strings.Split(pattern, "/"), strings.Split(dir, "/"))
}

func fitsParts(pattern, dir []string) bool {
	switch {
	case len(pattern) == 0:
		return len(dir) == 0
	case pattern[0] == "**":
		for skipped := range len(dir) + 1 {
			if fitsParts(pattern[1:], dir[skipped:]) {
				return true
			}
		}
		return false
	case len(dir) == 0:
		return false
	}
	one, err := path.Match(pattern[0], dir[0])
	return err == nil && one && fitsParts(pattern[1:], dir[1:])
}

func fitsAny(patterns []string, dir string) bool {
	for _, pattern := range patterns {
		if fits(pattern, dir) {
			return true
		}
	}
	return false
}
