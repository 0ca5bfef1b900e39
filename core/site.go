package core

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SiteAccess says who sees a published site.
type SiteAccess string

// The kinds of access to a site.
const (
	SitePublic SiteAccess = "public"
	// SitePassword is for everybody who knows the site's password.
	SitePassword SiteAccess = "password"
	// SiteWorkspace is for the members of the project's workspace.
	SiteWorkspace SiteAccess = "workspace"
)

// SiteRobots says whether search engines may list a site.
type SiteRobots string

// The values of SiteRobots.
const (
	RobotsIndex   SiteRobots = "index"
	RobotsNoIndex SiteRobots = "noindex"
)

// Bounds of a site's settings.
const (
	MaxSiteTitleChars       = 200
	MaxSiteDescriptionChars = 500
	MaxSiteAddressBytes     = 2000
	MaxSiteLanguageBytes    = 35
)

// SiteSettings are the statements of a published site's pages about it, and who sees them. Empty texts
// leave what the pages say themselves. A project that nobody has changed them for has NewSiteSettings.
type SiteSettings struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	// Image is the picture that others show with a link to the site: an address, or a path of the
	// site that begins with a slash. Favicon is of the same form.
	Image   string `json:"image"`
	Favicon string `json:"favicon"`
	// Language is a language tag, such as "en" or "pt-BR".
	Language string     `json:"language"`
	Robots   SiteRobots `json:"robots"`
	Access   SiteAccess `json:"access"`
	// NotFound is the path of the page that people see at an unknown address, "/404.html" for
	// example.
	NotFound string `json:"notFound"`
	// UpdatedAt is 0 until somebody has changed the settings.
	UpdatedAt Time `json:"updatedAt"`

	ProjectID ID `json:"-"`
	// PasswordHash is "" if no password is set.
	PasswordHash string `json:"-"`
	// Revision grows by one with every change.
	Revision int64 `json:"-"`
}

// NewSiteSettings returns the settings of a project that nobody has changed them for.
func NewSiteSettings(project ID) SiteSettings {
	return SiteSettings{ProjectID: project, Robots: RobotsIndex, Access: SitePublic}
}

// Check returns CodeValidationFailed, naming the field, for settings that a site cannot have.
func (s SiteSettings) Check() error {
	for _, check := range []error{
		checkLine("title", s.Title, MaxSiteTitleChars),
		checkLine("description", s.Description, MaxSiteDescriptionChars),
		checkSiteAddress("image", s.Image),
		checkSiteAddress("favicon", s.Favicon),
		checkLanguage(s.Language),
		checkNotFound(s.NotFound),
	} {
		if check != nil {
			return check
		}
	}
	if s.Robots != RobotsIndex && s.Robots != RobotsNoIndex {
		return Errorf(CodeValidationFailed, "robots must be index or noindex")
	}
	switch s.Access {
	case SitePublic, SiteWorkspace:
		return nil
	case SitePassword:
		if s.PasswordHash == "" {
			return Errorf(CodeValidationFailed, "password must be set for the access password")
		}
		return nil
	}
	return Errorf(CodeValidationFailed, "access must be public, password or workspace")
}

// checkLine checks one line of text.
func checkLine(field, text string, most int) error {
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > most || strings.ContainsFunc(text, unicode.IsControl) {
		return Errorf(CodeValidationFailed, "%s must be one line of at most %d characters", field, most)
	}
	return nil
}

// checkSiteAddress checks an address of the web, or a path of the site.
func checkSiteAddress(field, text string) error {
	if text == "" {
		return nil
	}
	address, err := url.Parse(text)
	wrong := err != nil || len(text) > MaxSiteAddressBytes || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) })
	if !wrong && address.Scheme == "" {
		wrong = address.Host != "" || !strings.HasPrefix(text, "/")
	} else if !wrong {
		wrong = address.Scheme != "https" && address.Scheme != "http" || address.Host == "" || address.User != nil
	}
	if wrong {
		return Errorf(CodeValidationFailed, "%s must be an address that begins with https://, or a path of the site that begins with /", field)
	}
	return nil
}

// checkLanguage checks the form of a language tag (RFC 5646).
func checkLanguage(tag string) error {
	if tag == "" {
		return nil
	}
	ok := len(tag) <= MaxSiteLanguageBytes
	for i, part := range strings.Split(tag, "-") {
		ok = ok && len(part) >= 1 && len(part) <= 8 && (i > 0 || len(part) >= 2)
		for _, c := range []byte(part) {
			ok = ok && (c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && c >= '0' && c <= '9')
		}
	}
	if !ok {
		return Errorf(CodeValidationFailed, "language must be a language tag such as en or pt-BR")
	}
	return nil
}

func checkNotFound(path string) error {
	if path == "" {
		return nil
	}
	name, rooted := strings.CutPrefix(path, "/")
	_, err := ParsePath(name)
	if !rooted || err != nil || !strings.HasSuffix(name, ".html") || len(path) > MaxSiteAddressBytes {
		return Errorf(CodeValidationFailed, "notFound must be the path of a page of the site, such as /404.html")
	}
	return nil
}

// SiteCountKind is the subject of a SiteCount.
type SiteCountKind string

// The kinds of counts.
const (
	// CountVisits counts people who come to a site from elsewhere; it has no name.
	CountVisits SiteCountKind = "visit"
	// CountPages counts the pages that are shown, by their path.
	CountPages SiteCountKind = "page"
	// CountReferrers counts visits by the host that people come from.
	CountReferrers SiteCountKind = "referrer"
)

// SiteCount is how often something happened on a project's site on a day.
type SiteCount struct {
	ProjectID ID
	// Day is a number of days since 1970-01-01, UTC.
	Day  int64
	Kind SiteCountKind
	// Name is "" for all names beyond those that are counted apart.
	Name  string
	Count int64
}

// SiteDay returns the day of a time, as SiteCount.Day counts them.
func SiteDay(t Time) int64 { return int64(t) / (24 * 60 * 60 * 1000) }
