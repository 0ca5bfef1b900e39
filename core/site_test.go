package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestSettingsOfASiteAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*core.SiteSettings)
		// field is the one that the error names, "" for settings that are fine.
		field string
	}{
		"new":                            {func(*core.SiteSettings) {}, ""},
		"all":                            {func(s *core.SiteSettings) { s.Title, s.Description, s.Language = "Äpfel & Brot", "Zwei", "zh-Hans-CN" }, ""},
		"a title of the most characters": {func(s *core.SiteSettings) { s.Title = strings.Repeat("ü", core.MaxSiteTitleChars) }, ""},
		"a title that is too long":       {func(s *core.SiteSettings) { s.Title = strings.Repeat("ü", core.MaxSiteTitleChars+1) }, "title"},
		"a title of two lines":           {func(s *core.SiteSettings) { s.Title = "a\nb" }, "title"},
		"a title that is not text":       {func(s *core.SiteSettings) { s.Title = "\xff" }, "title"},
		"a long description":             {func(s *core.SiteSettings) { s.Description = strings.Repeat("d", 501) }, "description"},
		"a path":                         {func(s *core.SiteSettings) { s.Image, s.Favicon = "/a b.png"[:2]+".png", "/icons/f.svg?v=2" }, ""},
		"an address":                     {func(s *core.SiteSettings) { s.Image = "https://example.com/a%20b.png" }, ""},
		"a path that is not rooted":      {func(s *core.SiteSettings) { s.Image = "a.png" }, "image"},
		"a host without a scheme":        {func(s *core.SiteSettings) { s.Favicon = "//example.com/a.png" }, "favicon"},
		"a script":                       {func(s *core.SiteSettings) { s.Favicon = "javascript:alert(1)" }, "favicon"},
		"data":                           {func(s *core.SiteSettings) { s.Image = "data:image/png;base64,AAAA" }, "image"},
		"an address with a password":     {func(s *core.SiteSettings) { s.Image = "https://a:b@example.com/" }, "image"},
		"an address with a space":        {func(s *core.SiteSettings) { s.Image = "/a b.png" }, "image"},
		"a long address":                 {func(s *core.SiteSettings) { s.Image = "/" + strings.Repeat("a", core.MaxSiteAddressBytes) }, "image"},
		"English":                        {func(s *core.SiteSettings) { s.Language = "en" }, ""},
		"a language of one letter":       {func(s *core.SiteSettings) { s.Language = "e" }, "language"},
		"a language with markup":         {func(s *core.SiteSettings) { s.Language = `en"><b` }, "language"},
		"a language that ends early":     {func(s *core.SiteSettings) { s.Language = "en-" }, "language"},
		"a page":                         {func(s *core.SiteSettings) { s.NotFound = "/pages/lost.html" }, ""},
		"a page outside":                 {func(s *core.SiteSettings) { s.NotFound = "/../lost.html" }, "notFound"},
		"a page that is not rooted":      {func(s *core.SiteSettings) { s.NotFound = "lost.html" }, "notFound"},
		"a picture instead of a page":    {func(s *core.SiteSettings) { s.NotFound = "/lost.png" }, "notFound"},
		"robots":                         {func(s *core.SiteSettings) { s.Robots = "all" }, "robots"},
		"access":                         {func(s *core.SiteSettings) { s.Access = "" }, "access"},
		"access without a password":      {func(s *core.SiteSettings) { s.Access = core.SitePassword }, "password"},
		"access with a password":         {func(s *core.SiteSettings) { s.Access, s.PasswordHash = core.SitePassword, "$" }, ""},
		"access of the workspace":        {func(s *core.SiteSettings) { s.Access = core.SiteWorkspace }, ""},
	} {
		settings := core.NewSiteSettings("p")
		c.change(&settings)
		err := settings.Check()
		if c.field == "" && err != nil || c.field != "" && (!core.IsCode(err, core.CodeValidationFailed) || !strings.HasPrefix(err.Error(), "validation_failed: "+c.field+" ")) {
			t.Errorf("%s: got %v, want an error for the field %q", name, err, c.field)
		}
	}
}

func TestADayEndsAtMidnightUTC(t *testing.T) {
	midnight := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	if before, after := core.SiteDay(core.At(midnight.Add(-time.Millisecond))), core.SiteDay(core.At(midnight)); after != before+1 || after != 20_781 {
		t.Errorf("got the days %d and %d, want 20780 and 20781", before, after)
	}
}
