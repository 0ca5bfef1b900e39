package settings

import (
	"cmp"
	"log/slog"
	"net/netip"
	"net/url"
	"path/filepath"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/atelierhq/atelier/adapters/bwrap"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
)

// Settings are the settings of the environment. Each value is
// checked once, here.
type Settings struct {
	ListenAddr    string
	AppURL        *url.URL
	AppDomain     string
	PreviewDomain string
	TLSCert       string
	TLSKey        string
	ACME          ACME
	// DNSResolver is trusted about the names that people claim, as host:port; "" asks the
	// names' own servers.
	DNSResolver string

	DataDir      string
	ProjectsRoot string
	SitesDir     string
	DatabaseURL  string
	AutoMigrate  bool
	NATS         NATS
	// BackendsDir is the folder, on the disk that all processes share, that keeps the data of
	// backends; PeerAddr is where the other processes reach this one for it, as host:port, ""
	// for any port of the address that leads to the NATS server. Without NATS neither is used.
	BackendsDir, PeerAddr string
	// CollabEmbedded says whether serve also has the rooms of projects.
	CollabEmbedded bool

	// JWTSecret and EncryptionKey are empty if DataDir holds them, or gets them at the
	// first start.
	JWTSecret       []byte
	EncryptionKey   []byte
	JWTIssuer       string
	AccessTokenTTL  time.Duration
	RefreshTokenTTL time.Duration
	OAuth           OAuth
	Instance        Instance
	Mail            Mail
	Backup          Backup

	AI              models.Platform
	Recording       Recording
	PrivateNetworks bool
	// AgentWeb says which pages of the web the agent reads: named, any or off.
	AgentWeb             string
	WorkspaceCreditLimit *float64
	ModelPrices          models.Prices
	ModelCatalogue       models.Catalogue
	// RunCreditLimit is the maximum cost of one run, in USD; nil is no limit.
	RunCreditLimit *float64
	NPM            NPM
	// Sandbox says how the agent's commands are isolated.
	Sandbox bwrap.Mode
	// Thumbnails says whether pictures of projects are taken.
	Thumbnails bool
	// Browsing says whether the agent and checks open pages of previews.
	Browsing bool
	// Prepare says whether the first start prepares what the templates need.
	Prepare bool

	RateLimitPerMinute     int
	AuthRateLimitPerMinute int
	TrustedProxies         []netip.Prefix
	MaxFileBytes           int64
	StreamsPerPerson       int
	MaxProjectBytes        int64
	MaxLanguageServers     int
	// Quotas bound the number of records that people create.
	Quotas core.Quotas
	// Backends bounds the data of projects' backends.
	Backends Backends
	// TrashDays is how long deleted projects are kept, in days; 0 keeps them forever.
	TrashDays int64
	// Pace stretches the waits of the service, for slow machines.
	Pace         core.Pace
	MetricsToken string
	Traces       Traces

	LogFormat string
	LogLevel  slog.Level
	// SiteAccessLog is the file of the sites' access log, "-" for standard output, "" for none.
	SiteAccessLog string

	// Version is the program's. It comes from the build, not from the environment.
	Version string
	// Part says which part of the service this process is.
	Part Part
	// Program is the path of a program that handles bwrap.EnterCommand and
	// buildworker.Command, as atelier does. The first opens the network of the agent's
	// commands; the second builds projects in separate processes. Without Program,
	// commands have no network, even if their workspace allows one, and this process
	// builds projects itself. Hostile sources can then end it.
	Program string
}

// Secure reports whether browsers reach the service by https.
func (s Settings) Secure() bool { return s.AppURL.Scheme == "https" }

// SharesSite reports whether published sites and the API share a registrable domain. A
// site could then send requests that count as same-site and set cookies for the API.
func (s Settings) SharesSite() bool {
	return registrable(s.AppURL.Hostname()) == registrable(HostOf(s.AppDomain)) && !isLocal(s.AppURL.Hostname())
}

// Read reads the settings through env, which looks up one variable. The error is one line
// that names the variable, its value and what it accepts.
func Read(env func(string) string) (Settings, error) {
	r := &reader{lookup: env, files: make(map[string]string)}
	s := Settings{
		ListenAddr:      r.text("LISTEN_ADDR", "127.0.0.1:8080", isListenAddr, "host:port"),
		AppURL:          r.appURL("APP_URL", "http://"+localAddress(env("LISTEN_ADDR"))),
		AppDomain:       r.text("APP_DOMAIN", localAddress(env("LISTEN_ADDR")), isDomain, "a domain, with a port where it is not the scheme's own"),
		DataDir:         r.path("DATA_DIR", "data"),
		AutoMigrate:     r.choice("AUTO_MIGRATE", "on", "on", "off") == "on",
		CollabEmbedded:  r.choice("COLLAB_EMBEDDED", "on", "on", "off") == "on",
		JWTIssuer:       r.text("JWT_ISSUER", "atelier", isNotEmpty, "a name"),
		AccessTokenTTL:  r.duration("JWT_ACCESS_TOKEN_EXPIRES_IN", 15*time.Minute),
		RefreshTokenTTL: r.duration("JWT_REFRESH_TOKEN_EXPIRES_IN", 7*24*time.Hour),
		JWTSecret:       r.secret("JWT_SECRET"),
		EncryptionKey:   r.key("ENCRYPTION_KEY"),
		PrivateNetworks: r.choice("PRIVATE_NETWORKS", "deny", "deny", "allow") == "allow",
		Sandbox:         bwrap.Mode(r.choice("SANDBOX", "auto", "auto", "bwrap", "off", "unsafe")),
		Thumbnails:      r.choice("THUMBNAILS", "on", "on", "off") == "on",
		Browsing:        r.choice("BROWSING", "on", "on", "off") == "on",
		AgentWeb:        r.choice("AGENT_WEB", "named", "named", "any", "off"),
		Prepare:         r.choice("PREPARE", "on", "on", "off") == "on",
		NPM:             readNPM(r),

		WorkspaceCreditLimit:   r.amount("WORKSPACE_CREDIT_LIMIT"),
		ModelPrices:            r.prices("MODEL_PRICES"),
		ModelCatalogue:         r.catalogue("MODEL_CATALOGUE"),
		RunCreditLimit:         r.amount("RUN_CREDIT_LIMIT"),
		RateLimitPerMinute:     int(r.number("RATE_LIMIT_PER_MINUTE", 1200, 0, 1_000_000)),
		AuthRateLimitPerMinute: int(r.number("AUTH_RATE_LIMIT_PER_MINUTE", 20, 0, 1_000_000)),
		TrustedProxies:         r.prefixes("TRUSTED_PROXIES"),
		MaxFileBytes:           r.number("MAX_FILE_BYTES", 26_214_400, 1, 1<<30),
		MaxProjectBytes:        r.number("MAX_PROJECT_BYTES", 2<<30, 1<<20, 1<<50),
		MaxLanguageServers:     int(r.number("MAX_LANGUAGE_SERVERS", 6, 0, 1000)),
		Quotas:                 readQuotas(r),
		Backends:               readBackends(r),
		StreamsPerPerson:       int(r.number("MAX_STREAMS_PER_PERSON", 100, 0, 1_000_000)),
		TrashDays:              r.number("TRASH_DAYS", 30, 0, 36_500),
		Pace:                   core.Pace(r.number("PACE", 1, 1, 100)),
		MetricsToken:           r.env("METRICS_TOKEN"),
		LogFormat:              r.choice("LOG_FORMAT", "text", "text", "json"),
		LogLevel:               r.level("LOG_LEVEL", slog.LevelInfo),
	}
	if s.SiteAccessLog = r.env("SITE_ACCESS_LOG"); s.SiteAccessLog != "" && s.SiteAccessLog != "-" {
		s.SiteAccessLog = r.path("SITE_ACCESS_LOG", "")
	}
	s.PreviewDomain = r.text("PREVIEW_DOMAIN", "preview."+s.AppDomain, isDomain, "a domain, with a port where it is not the scheme's own")
	readPlaces(r, &s)
	s.OAuth = readOAuth(r, s.AppURL)
	s.Instance = readInstance(r, s.ListenAddr)
	s.Mail = readMail(r, s)
	s.Backup = readBackup(r, s)
	s.AI = readPlatform(r)
	s.Traces = readTraces(r)
	s.Recording = readRecording(r)
	s.DNSResolver = readDNSResolver(r)
	s.NATS = readNATS(r)
	s.PeerAddr = r.text("PEER_ADDR", "", isPeerAddr, "host:port of this machine at which the other processes reach it")
	checkCluster(r, s)
	readTLS(r, &s)
	return s, r.err
}

// readPlaces reads where everything is kept: in DATA_DIR, unless a variable says otherwise.
func readPlaces(r *reader, s *Settings) {
	s.ProjectsRoot = r.path("PROJECTS_ROOT", filepath.Join(s.DataDir, "projects"))
	s.BackendsDir = r.path("BACKENDS_DIR", filepath.Join(s.ProjectsRoot, ".backends"))
	s.SitesDir = r.path("SITES_DIR", filepath.Join(s.DataDir, "sites"))
	s.DatabaseURL = cmp.Or(r.env("DATABASE_URL"), "sqlite://"+filepath.Join(s.DataDir, "atelier.db"))
	if !isDatabaseURL(s.DatabaseURL) {
		r.fail("DATABASE_URL", withoutPassword(s.DatabaseURL), "sqlite://<file> or postgres://…")
	}
}

// readQuotas reads the bounds on what people create. They are far above what people need, and
// keep one person from filling the machine with records.
func readQuotas(r *reader) core.Quotas {
	bound := func(name string, preset int64) int { return int(r.number(name, preset, 0, 1_000_000)) }
	fixed := map[core.QuotaName]string{}
	for quota, name := range map[core.QuotaName]string{
		core.QuotaProjects: "MAX_PROJECTS_PER_WORKSPACE", core.QuotaMembers: "MAX_MEMBERS_PER_WORKSPACE", core.QuotaBytes: "MAX_PROJECT_BYTES",
	} {
		if r.env(name) != "" {
			fixed[quota] = name
		}
	}
	return core.Quotas{
		Fixed:      fixed,
		Workspaces: bound("MAX_WORKSPACES_PER_PERSON", 50),
		Projects:   bound("MAX_PROJECTS_PER_WORKSPACE", 500),
		Members:    bound("MAX_MEMBERS_PER_WORKSPACE", 500),
		Chats:      bound("MAX_CHATS_PER_PROJECT", 200),
		Tasks:      bound("MAX_TASKS_PER_PROJECT", 8), WorkspaceTasks: bound("MAX_TASKS_PER_WORKSPACE", 32),
	}
}

// readPlatform reads the platform provider's settings.
func readPlatform(r *reader) models.Platform {
	kind := r.choice("AI_PROVIDER", "none", "none", "auto", "demo", "ollama", "openai", "responses", "anthropic")
	if kind == "none" {
		kind = ""
	}
	platform := models.Platform{
		Kind: core.ProviderKind(kind), Model: r.env("AI_MODEL"), Key: r.env("AI_API_KEY"),
		OllamaHost: r.ollama("OLLAMA_HOST"),
	}
	if r.env("AI_BASE_URL") != "" {
		platform.BaseURL = r.url("AI_BASE_URL", "").String()
	}
	if (kind == "openai" || kind == "responses" || kind == "anthropic") && platform.Key == "" && platform.BaseURL == "" {
		r.fail("AI_API_KEY", "", "a key for AI_PROVIDER="+kind)
	}
	return platform
}

// registrable returns the part of a host that one owner registers, which browsers call
// the site. A host without one is its own.
func registrable(host string) string {
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return site
}
