package sitehost

import (
	"context"
	"encoding/xml"
	"hash/fnv"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/compress"
	"github.com/atelierhq/atelier/adapters/internal/pagehead"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/ports/sites"
)

// presentation is what the settings of a site make of a deployment: the heads of its pages, the page
// for unknown addresses, robots.txt and sitemap.xml, and whether others may keep copies.
type presentation struct {
	settings *core.SiteSettings
	url      string
	// look says that members look at the deployment as it was built.
	look bool
}

func presentationOf(site publish.Site) presentation {
	return presentation{settings: site.Settings, url: site.URL}
}

// key is where the set of a deployment's files is cached: a look and the site do not take each
// other's place.
func (p presentation) key(deployment core.ID) string {
	if p.look {
		return "look " + string(deployment)
	}
	return string(deployment)
}

// name distinguishes the sets of files that differ by their presentation.
func (p presentation) name() string {
	if p.settings == nil {
		return ""
	}
	return "/" + strconv.FormatInt(p.settings.Revision, 10) + "/" + p.url
}

// isPrivate reports whether only some people see the site.
func (p presentation) isPrivate() bool {
	return p.look || p.settings != nil && p.settings.Access != core.SitePublic
}

// head is what the pages say.
func (p presentation) head() pagehead.Head {
	s := p.settings
	if s == nil {
		return pagehead.Head{}
	}
	image := s.Image
	if strings.HasPrefix(image, "/") {
		image = p.url + image
	}
	return pagehead.Head{
		Title: s.Title, Description: s.Description, Image: image, Favicon: s.Favicon, Language: s.Language,
		NoIndex: s.Robots == core.RobotsNoIndex,
	}
}

// notFound is the name of the page for unknown addresses.
func (p presentation) notFound() string {
	if p.settings == nil || p.settings.NotFound == "" {
		return missingPage
	}
	return strings.TrimPrefix(p.settings.NotFound, "/")
}

// missingPage is the page for unknown addresses of sites that choose no other.
const missingPage = "404.html"

// privateForEver is Cache-Control for hashed assets of a site that only some people see, and
// privateNoCache for its other files.
var (
	privateForEver = []string{"private, max-age=31536000, immutable"}
	privateNoCache = []string{"private, no-cache"}
)

// present returns the asset of a published file as the presentation shows it.
func (h *publishedHost) present(deployment core.ID, entry sites.Entry, p presentation) *asset {
	shown := h.asset(deployment, entry)
	if head := p.head(); head != (pagehead.Head{}) && path.Ext(entry.Path) == ".html" && shown.stream == nil {
		h.rewrite(shown, deployment, entry, head, p.name())
	}
	switch {
	case !p.isPrivate():
	case shown.immutable:
		shown.control = privateForEver
	default:
		shown.control = privateNoCache
	}
	return shown
}

// rewrite lets an asset be a page with a head. revision is what its entity tag has beside the hash
// of the file.
func (h *publishedHost) rewrite(page *asset, deployment core.ID, entry sites.Entry, head pagehead.Head, revision string) {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(revision)) // never fails
	page.tag = `"` + strconv.FormatUint(uint64(hash.Sum32()), 36) + "-" + strings.TrimPrefix(page.tag, `"`)
	made := func(ctx context.Context) ([]byte, error) {
		content, err := h.files.Read(ctx, deployment, entry)
		if err != nil {
			return nil, err
		}
		return pagehead.Apply(content, head, entry.Path == "index.html"), nil
	}
	compressed := func(as sites.Encoding) *form {
		return newForm(page.tag, as, h.bodies, func(ctx context.Context) ([]byte, error) {
			content, err := made(ctx)
			if err != nil {
				return nil, err
			}
			return compress.Form(content, as, compress.Quick), nil
		})
	}
	page.plain, page.brotli, page.gzip = newForm(page.tag, "", h.bodies, made), compressed(sites.Brotli), compressed(sites.Gzip)
}

// addOwn adds robots.txt and sitemap.xml to the files of a site, unless it has them.
func (p presentation) addOwn(set *fileSet) {
	if p.settings == nil || p.url == "" {
		return
	}
	robots := "User-agent: *\nDisallow: /\n"
	if !p.isPrivate() && p.settings.Robots != core.RobotsNoIndex {
		robots = "User-agent: *\nAllow: /\nSitemap: " + p.url + "/sitemap.xml\n"
		p.addFile(set, "sitemap.xml", siteMap(p.url, set, p.notFound()))
	}
	p.addFile(set, "robots.txt", []byte(robots))
}

func (p presentation) addFile(set *fileSet, name string, content []byte) {
	if set.files[name] != nil {
		return
	}
	control := noCache
	if p.isPrivate() {
		control = privateNoCache
	}
	set.add(name, newAsset(name, content, false, control))
}

// maxListed bounds a sitemap (sitemaps.org).
const maxListed = 50_000

// siteMap lists the pages of a site.
func siteMap(base string, set *fileSet, without string) []byte {
	var pages []string
	for name := range set.files {
		if path.Ext(name) == ".html" && name != without && isPlainPath("/"+name) {
			pages = append(pages, addressOf(name))
		}
	}
	slices.Sort(pages)
	var b strings.Builder
	b.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, page := range pages[:min(len(pages), maxListed)] {
		b.WriteString("<url><loc>")
		// Writing to a builder never fails.
		_ = xml.EscapeText(&b, []byte(base+(&url.URL{Path: page}).EscapedPath()))
		b.WriteString("</loc></url>\n")
	}
	b.WriteString("</urlset>\n")
	return []byte(b.String())
}

// addressOf returns the path under which people find a page.
func addressOf(name string) string {
	if folder, isIndex := strings.CutSuffix("/"+name, "/index.html"); isIndex {
		return folder + "/"
	}
	return "/" + name
}
