package core

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Visibility says who may see a project.
type Visibility string

// The visibilities of a project.
const (
	// VisibilityPrivate is for the creator and the workspace's admins and owners.
	VisibilityPrivate Visibility = "private"
	// VisibilityWorkspace is for every member.
	VisibilityWorkspace Visibility = "workspace"
	// VisibilityPublic adds every signed-in caller, who may read it.
	VisibilityPublic Visibility = "public"
)

// ParseVisibility returns CodeValidationFailed for any other word.
func ParseVisibility(text string) (Visibility, error) {
	switch v := Visibility(text); v {
	case VisibilityPrivate, VisibilityWorkspace, VisibilityPublic:
		return v, nil
	}
	return "", Errorf(CodeValidationFailed, "visibility must be private, workspace or public")
}

// ProjectSort is the order of a list of projects.
type ProjectSort string

// The orders of projects. Projects of the same age or name are ordered by their ids.
const (
	// SortCreated is newest first.
	SortCreated ProjectSort = "created"
	// SortUpdated is last changed first.
	SortUpdated ProjectSort = "updated"
	// SortName is by name, ignoring case and accents.
	SortName ProjectSort = "name"
)

// ParseProjectSort returns CodeValidationFailed for any other word.
func ParseProjectSort(text string) (ProjectSort, error) {
	switch sort := ProjectSort(text); sort {
	case SortCreated, SortUpdated, SortName:
		return sort, nil
	}
	return "", Errorf(CodeValidationFailed, "sort must be created, updated or name")
}

// Project is one web application that people build.
type Project struct {
	ID           ID         `json:"id"`
	WorkspaceID  ID         `json:"workspaceId"`
	FolderID     *ID        `json:"folderId"`
	Slug         string     `json:"slug"`
	Name         string     `json:"name"`
	Description  *string    `json:"description"`
	Template     *string    `json:"template"`
	Visibility   Visibility `json:"visibility"`
	ThumbnailURL *string    `json:"thumbnailUrl"`
	PublishedAt  *Time      `json:"publishedAt"`
	// CustomDomain is the primary one of the project's active domains, nil if it has
	// none.
	CustomDomain *string `json:"customDomain"`
	CreatedAt    Time    `json:"createdAt"`
	UpdatedAt    Time    `json:"updatedAt"`
	// DeletedAt is set while the project is soft-deleted.
	DeletedAt *Time `json:"deletedAt"`

	// CopyOf is the project of which this one is a working copy, nil for a project of its own. A
	// copy is seen by those who see its project, and lives and ends with it.
	CopyOf *ID `json:"copyOf,omitempty"`

	// Purging is set once the deleted project is being removed permanently. Then it
	// cannot be restored, and what a crash leaves of it is removed later.
	Purging   bool `json:"-"`
	CreatedBy ID   `json:"-"`
	// PublishedSlug is the label of the live site's host, nil while unpublished.
	// No two projects share one.
	PublishedSlug *string `json:"-"`
	// DeploymentID is the deployment that the site serves.
	DeploymentID *ID `json:"-"`
	// PreviewVersion grows with every change that must give the preview new addresses.
	PreviewVersion int `json:"-"`
}

// Show changes the project's visibility, and with it the addresses of its preview.
func (p *Project) Show(visibility Visibility) {
	if p.Visibility != visibility {
		p.PreviewVersion++
	}
	p.Visibility = visibility
}

// MoveTo moves the project to the root of a workspace, and changes the addresses of its
// preview.
func (p *Project) MoveTo(workspace ID) {
	if p.WorkspaceID != workspace {
		p.PreviewVersion++
	}
	p.WorkspaceID, p.FolderID = workspace, nil
}

// Follow gives a copy what it has in common with its project: the workspace, who may see it, and
// whether it is deleted.
func (p *Project) Follow(of Project) {
	if of.WorkspaceID != p.WorkspaceID {
		p.MoveTo(of.WorkspaceID)
	}
	p.Show(of.Visibility)
	p.CreatedBy, p.UpdatedAt = of.CreatedBy, of.UpdatedAt
	if p.Purging {
		return
	}
	p.DeletedAt, p.Purging = of.DeletedAt, of.Purging
}

// Limits of a project's fields.
const (
	MaxProjectNameChars = 100
	MaxDescriptionChars = 2000
	MaxPromptChars      = 100_000
	maxSlugChars        = 63
)

// letters are those that Unicode does not decompose, with their common spelling in ASCII.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "þ", "th", "ı", "i")

// Slugify makes the slug of a name: lower-case ASCII letters, digits and single hyphens,
// at most 63 characters, "project" if nothing is left. Accents are dropped.
func Slugify(name string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range decompose([]rune(letters.Replace(strings.ToLower(name)))) {
		if combining(r) != 0 {
			continue
		}
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if hyphen && b.Len() > 0 {
				b.WriteByte('-')
			}
			hyphen = false
			b.WriteRune(r)
			continue
		}
		hyphen = true
	}
	slug := strings.Trim(cutTo(b.String(), maxSlugChars), "-")
	if slug == "" {
		return "project"
	}
	return slug
}

// NumberedSlug is the n-th candidate for a slug: slug itself, then slug-2, slug-3. It
// stays within 63 characters.
func NumberedSlug(slug string, n int) string {
	if n < 2 {
		return slug
	}
	suffix := "-" + strconv.Itoa(n)
	return strings.TrimRight(cutTo(slug, maxSlugChars-len(suffix)), "-") + suffix
}

func cutTo(text string, limit int) string { return text[:min(len(text), limit)] }

// CheckSlug returns CodeValidationFailed unless a slug that a person chose matches
// [a-z0-9-]{1,63}, without a hyphen at either end.
func CheckSlug(slug string) error {
	ok := len(slug) >= 1 && len(slug) <= maxSlugChars && slug[0] != '-' && slug[len(slug)-1] != '-'
	for i := range len(slug) {
		c := slug[i]
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-')
	}
	if !ok {
		return Errorf(CodeValidationFailed, "slug must match [a-z0-9-]{1,63} and neither start nor end with a hyphen")
	}
	return nil
}

// SlugHold is how long the address of a former site stays reserved for its workspace:
// visitors trust it, and links lead there.
const SlugHold = 30 * 24 * time.Hour

// ReservedSlug reports whether no site may be published under slug. Reserved are the service's own names and names that programs look up in a domain
// by themselves. Others are those to which authorities send proofs (RFC 2142 and the
// CA/Browser Forum), and those under which people expect to enter their password. RFC
// 5891 reserves labels with "--" in the third and fourth place.
func ReservedSlug(slug string) bool {
	switch slug {
	case "www", "api", "app", "admin", "mail", "preview", "static", "assets", "studio", "atelier",
		"ws", "collab", "cdn", "metrics", "internal", "intranet":
		return true
	case "wpad", "isatap", "autodiscover", "autoconfig", "mta-sts", "openpgpkey", "localhost", "localdomain", "broadcasthost",
		"mx", "ns", "ns1", "ns2", "ns3", "ns4", "dns", "smtp", "imap", "imaps", "pop", "pop3", "webmail", "email", "relay",
		"ftp", "sftp", "ssh", "vpn", "proxy", "gateway", "ldap", "kerberos", "sip", "xmpp", "caldav", "carddav", "webdav":
		return true
	case "administrator", "hostmaster", "postmaster", "webmaster", "root", "system", "sysadmin", "abuse", "noc", "security", "ssladmin", "sysop",
		"mailer-daemon", "nobody", "noreply", "no-reply":
		return true
	case "login", "logon", "signin", "sign-in", "signup", "sign-up", "logout", "register", "auth", "oauth", "oauth2", "sso", "saml", "idp",
		"account", "accounts", "myaccount", "my-account", "password", "reset-password", "forgot-password", "verify", "verification",
		"billing", "payment", "payments", "secure", "ssl", "settings", "console":
		return true
	}
	return len(slug) >= 4 && slug[2:4] == "--"
}

// CheckDescription returns CodeValidationFailed for a description that is too long.
func CheckDescription(text string) error {
	if utf8.RuneCountInString(text) > MaxDescriptionChars || strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return Errorf(CodeValidationFailed, "description must have at most %d characters", MaxDescriptionChars)
	}
	return nil
}

// Template is a starting point for a project.
type Template struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// DeploymentStatus is the status of a deployment.
type DeploymentStatus string

// The states of a deployment: at most one is live.
const (
	DeploymentLive       DeploymentStatus = "live"
	DeploymentSuperseded DeploymentStatus = "superseded"
	DeploymentRolledBack DeploymentStatus = "rolled_back"
)

// Deployment is one published build of a project, kept so that it can be served
// again.
type Deployment struct {
	ID        ID               `json:"id"`
	URL       string           `json:"url"`
	Slug      string           `json:"slug"`
	Status    DeploymentStatus `json:"status"`
	CreatedAt Time             `json:"createdAt"`
	By        ID               `json:"by"`
	// Bytes is the size of all files of the build.
	Bytes int64 `json:"bytes"`
	// VersionID is the version that was built, Title the first line of its message.
	VersionID string `json:"versionId"`
	Title     string `json:"title"`

	ProjectID ID `json:"-"`
}

// AuthorKind distinguishes people from the agent in a project's history.
type AuthorKind string

// The kinds of authors.
const (
	AuthorUser  AuthorKind = "user"
	AuthorAgent AuthorKind = "agent"
)

// Author is the author of a change.
type Author struct {
	Kind AuthorKind `json:"kind"`
	Name string     `json:"name"`
}

// Version is one commit of a project's repository.
type Version struct {
	// ID is the commit's SHA-1 in hexadecimal.
	ID        string `json:"id"`
	Message   string `json:"message"`
	Author    Author `json:"author"`
	CreatedAt Time   `json:"createdAt"`
	// Chat marks the chat in which the agent made it. ChatID is nil until Recognise sets it, for
	// people who see the project's chats.
	Chat         ChatMark `json:"-"`
	ChatID       *ID      `json:"chatId"`
	FilesChanged int      `json:"filesChanged"`
}
