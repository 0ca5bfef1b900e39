package settings

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
)

// env looks variables up in a map.
func env(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestTheDefaultsAreThoseOfTheContract(t *testing.T) {
	s, err := Read(env(nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]any{
		"LISTEN_ADDR":                  {s.ListenAddr, "127.0.0.1:8080"},
		"APP_URL":                      {s.AppURL.String(), "http://localhost:8080"},
		"APP_DOMAIN":                   {s.AppDomain, "localhost:8080"},
		"PREVIEW_DOMAIN":               {s.PreviewDomain, "preview.localhost:8080"},
		"JWT_ISSUER":                   {s.JWTIssuer, "atelier"},
		"JWT_ACCESS_TOKEN_EXPIRES_IN":  {s.AccessTokenTTL, 15 * time.Minute},
		"JWT_REFRESH_TOKEN_EXPIRES_IN": {s.RefreshTokenTTL, 7 * 24 * time.Hour},
		"RATE_LIMIT_PER_MINUTE":        {s.RateLimitPerMinute, 1200},
		"MAX_LANGUAGE_SERVERS":         {s.MaxLanguageServers, 6},
		"AUTH_RATE_LIMIT_PER_MINUTE":   {s.AuthRateLimitPerMinute, 20},
		"MAX_WORKSPACES_PER_PERSON":    {s.Quotas.Workspaces, 50},
		"BACKEND_MAX_BYTES":            {s.Backends.Bytes, int64(1 << 30)},
		"BACKEND_MAX_FILE_BYTES":       {s.Backends.FileBytes, int64(5 << 30)},
		"BACKEND_QUERY_TIMEOUT":        {s.Backends.Query, 5 * time.Second},
		"BACKEND_MAX_STREAMS":          {s.Backends.Streams, 200},
		"BACKEND_REQUESTS_PER_SECOND":  {s.Backends.Requests, 100},
		"BACKEND_IDLE":                 {s.Backends.Idle, 10 * time.Minute},
		"BACKEND_MAX_OPEN":             {s.Backends.MaxOpen, 2000},
		"MAX_PROJECTS_PER_WORKSPACE":   {s.Quotas.Projects, 500},
		"MAX_MEMBERS_PER_WORKSPACE":    {s.Quotas.Members, 500},
		"MAX_CHATS_PER_PROJECT":        {s.Quotas.Chats, 200},
		"MAX_TASKS_PER_PROJECT":        {s.Quotas.Tasks, 8},
		"MAX_TASKS_PER_WORKSPACE":      {s.Quotas.WorkspaceTasks, 32},
		"MAX_STREAMS_PER_PERSON":       {s.StreamsPerPerson, 100},
		"THUMBNAILS":                   {s.Thumbnails, true},
		"BROWSING":                     {s.Browsing, true},
		"AGENT_WEB":                    {s.AgentWeb, "named"},
		"PREPARE":                      {s.Prepare, true},
		"PACE":                         {s.Pace, core.Pace(1)},
		"MAX_FILE_BYTES":               {s.MaxFileBytes, int64(26214400)},
		"OLLAMA_HOST":                  {s.AI.OllamaHost, "http://127.0.0.1:11434"},
		"AI_PROVIDER":                  {string(s.AI.Kind), ""},
		"PRIVATE_NETWORKS":             {s.PrivateNetworks, false},
		"SANDBOX":                      {string(s.Sandbox), "auto"},
		"AUTO_MIGRATE":                 {s.AutoMigrate, true},
		"PROJECTS_ROOT":                {filepath.Base(s.ProjectsRoot), "projects"},
		"SITE_ACCESS_LOG":              {s.SiteAccessLog, ""},
		"DATABASE_URL":                 {s.DatabaseURL, "sqlite://" + filepath.Join(s.DataDir, "atelier.db")},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %v, want %v", name, pair[0], pair[1])
		}
	}
}

func TestABadValueStopsTheStartWithOneLineThatNamesIt(t *testing.T) {
	for name, values := range map[string][]string{
		"LISTEN_ADDR":                  {"8080", "host", "host:99999", "host:x"},
		"APP_URL":                      {"localhost", "ftp://x", "http://user:pw@x", "http://", "http://x?a=1", "http://x?", "http://x/#top", "http://x/a%20b", "http://x/a//b", "http://x/../a"},
		"APP_DOMAIN":                   {"https://x", "a..b", "UPPER.example", "x y", "a.example:port"},
		"PREVIEW_DOMAIN":               {"*.x"},
		"JWT_SECRET":                   {"short"},
		"ENCRYPTION_KEY":               {"not base64!", base64.StdEncoding.EncodeToString([]byte("short"))},
		"JWT_ACCESS_TOKEN_EXPIRES_IN":  {"15", "-1m", "0s", "5x", "1.5d"},
		"JWT_REFRESH_TOKEN_EXPIRES_IN": {"d", "-7d"},
		"DATABASE_URL":                 {"mysql://x", "atelier.db"},
		"AI_PROVIDER":                  {"gemini", "openai", "anthropic"},
		"OLLAMA_HOST":                  {"host:port"},
		"PRIVATE_NETWORKS":             {"yes"},
		"SANDBOX":                      {"on", "docker", "UNSAFE"},
		"BROWSING":                     {"yes"},
		"AGENT_WEB":                    {"on", "all"},
		"WORKSPACE_CREDIT_LIMIT":       {"-1", "much", "NaN"},
		"RUN_CREDIT_LIMIT":             {"-1", "much", "NaN"},
		"MODEL_PRICES":                 {"no/such/file.json", ".", "settings_test.go"},
		"MODEL_CATALOGUE":              {"no/such/file.json", ".", "settings_test.go"},
		"RATE_LIMIT_PER_MINUTE":        {"-1", "1.5", "many"},
		"MAX_LANGUAGE_SERVERS":         {"-1", "1.5", "many"},
		"MAX_PROJECTS_PER_WORKSPACE":   {"-1", "many"},
		"BACKEND_MAX_BYTES":            {"0", "1GB"},
		"BACKEND_MAX_FILE_BYTES":       {"-1", "5e9"},
		"BACKEND_QUERY_TIMEOUT":        {"0s", "5", "2m"},
		"BACKEND_MAX_STREAMS":          {"0", "many"},
		"PACE":                         {"0", "101", "slow"},
		"BACKEND_REQUESTS_PER_SECOND":  {"0", "-1"},
		"BACKEND_IDLE":                 {"0", "48h"},
		"BACKEND_MAX_OPEN":             {"0", "1000000"},
		"TRUSTED_PROXIES":              {"10.0.0.1", "10.0.0.0/99"},
		"MAX_FILE_BYTES":               {"0", "25MB"},
		"TLS":                          {"on", "files"},
		"AUTO_MIGRATE":                 {"true"},
		"LOG_FORMAT":                   {"xml"},
		"LOG_LEVEL":                    {"loud"},
	} {
		for _, value := range values {
			_, err := Read(env(map[string]string{name: value}))
			if err == nil {
				t.Errorf("%s=%s: got no error", name, value)
				continue
			}
			named := strings.HasPrefix(err.Error(), name) || name == "AI_PROVIDER" && strings.HasPrefix(err.Error(), "AI_API_KEY") ||
				name == "TLS" && strings.HasPrefix(err.Error(), "TLS_CERT")
			if !named || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s=%s: got %q, want one line that names the variable", name, value, err)
			}
		}
	}
}

func TestTheCatalogueIsReadFromTheFileThatIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalogue.json")
	for content, want := range map[string]string{
		`{"models": {"gpt-9": {"contextTokens": 9000}}}`: "",
		`{"models": {"gpt-9": {"contextTokens": -1}}}`: `MODEL_CATALOGUE is "` + file + `", but must be a file such as ` +
			`{"models": {"gpt-5": {"contextTokens": 272000, "price": {"input": 1.25, "output": 10}}}}: models."gpt-9": contextTokens must be from 0 to 1073741824`,
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Read(env(map[string]string{"MODEL_CATALOGUE": file}))
		if want == "" && (err != nil || s.ModelCatalogue["gpt-9"].ContextTokens != 9000) {
			t.Errorf("got %v, %v, want the file's model", s.ModelCatalogue, err)
		}
		if want != "" && (err == nil || err.Error() != want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestModelPricesAreReadFromTheFileThatIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "prices.json")
	for content, want := range map[string]string{
		`{"gpt-5": {"input": 0, "output": 2.5}}`: "",
		`{"gpt-5": {"input": -1, "output": 2}}`: `MODEL_PRICES is "` + file + `", but must be a file such as ` +
			`{"gpt-5": {"input": 1.25, "output": 10}}, in USD per million tokens: "gpt-5": input must be a number from 0 to 1000000`,
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Read(env(map[string]string{"MODEL_PRICES": file}))
		if want == "" && (err != nil || s.ModelPrices["gpt-5"] != models.Price{Output: 2.5}) {
			t.Errorf("got %v, %v, want the file's price", s.ModelPrices, err)
		}
		if want != "" && (err == nil || err.Error() != want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestARefusalNeverShowsASecret(t *testing.T) {
	for _, name := range []string{"JWT_SECRET", "ENCRYPTION_KEY"} {
		_, err := Read(env(map[string]string{name: "hunter2"}))
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want a refusal without the value", name, err)
		}
	}
	if _, err := Read(env(map[string]string{"DATABASE_URL": "postgre://atelier:hunter2@db/atelier"})); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("DATABASE_URL: got %v, want a refusal without the password", err)
	}
}

func TestSharesSiteSeesThroughSubdomains(t *testing.T) {
	for _, c := range []struct {
		app, sites string
		want       bool
	}{
		{"https://atelier.example.com", "example.com", true},
		{"https://example.com", "sites.example.com", true},
		{"https://example.com", "example-sites.com", false},
		{"https://a.co.uk", "b.co.uk", false},
		{"http://localhost:8080", "localhost:8080", false},
	} {
		s, err := Read(env(map[string]string{"APP_URL": c.app, "APP_DOMAIN": c.sites}))
		if err != nil || s.SharesSite() != c.want {
			t.Errorf("%s and %s: got %v, %v, want %v", c.app, c.sites, s.SharesSite(), err, c.want)
		}
	}
}
