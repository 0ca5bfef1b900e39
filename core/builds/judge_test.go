package builds

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

func TestJudgePages(t *testing.T) {
	page := func(path, content string) build.File { return build.File{Path: path, Content: []byte(content)} }
	for name, c := range map[string]struct {
		files       []build.File
		path, said  string
		onlyWarning bool
	}{
		"a whole site":              {files: []build.File{page("index.html", `<script type=module src="/a.js"></script>`), page("a.js", "1")}},
		"no start page":             {files: []build.File{page("about.html", "x")}, path: "index.html", said: "no start page"},
		"nothing at all":            {path: "index.html", said: "no start page"},
		"an empty start page":       {files: []build.File{page("index.html", " \n")}, path: "index.html", said: "empty"},
		"an empty page elsewhere":   {files: []build.File{page("index.html", "x"), page("b.html", "")}},
		"a module that is missing":  {files: []build.File{page("index.html", `<script type=module src="/a.js"></script>`)}, path: "index.html", said: `"/a.js"`},
		"a script that is missing":  {files: []build.File{page("index.html", `<script src="/a.js"></script>`)}, path: "index.html", said: `"/a.js"`, onlyWarning: true},
		"a picture that is missing": {files: []build.File{page("index.html", `<img src="/a.png"><img src="/a.png">`)}, path: "index.html", said: `"/a.png"`, onlyWarning: true},
		"a style of another page": {
			files: []build.File{page("index.html", "x"), page("docs/a.html", `<link rel=stylesheet href=a.css>`), page("a.css", "")},
			path:  "docs/a.html", said: `"a.css"`, onlyWarning: true,
		},
		"a pointer of Git LFS": {
			files: []build.File{page("index.html", "x"), page("@app/photo.png", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n")},
			path:  "photo.png", said: "git lfs pull", onlyWarning: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			wrong, warnings := judgePages(c.files)
			got, other := wrong, warnings
			if c.onlyWarning {
				got, other = warnings, wrong
			}
			if c.said == "" && len(got) == 0 && len(other) == 0 {
				return
			}
			if len(other) > 0 || len(got) != 1 || got[0].Path != c.path || !strings.Contains(got[0].Message, c.said) {
				t.Errorf("got %+v and the warnings %+v, want one about %q that says %q", wrong, warnings, c.path, c.said)
			}
		})
	}
}

// pages is a builder whose result is always the same.
type pages []build.File

func (pages) ViteConfig(context.Context, fs.FS, map[string]string) (build.ViteConfig, error) {
	return build.ViteConfig{}, nil
}

func (p pages) Build(context.Context, build.Request) (build.Result, error) {
	return build.Result{Files: p}, nil
}

// leak is an environment with one secret.
type leak struct{ secret string }

func (l *leak) Public(context.Context, core.ID) (map[string]string, error) { return nil, nil }

func (l *leak) Exposed(_ context.Context, _ core.ID, files []build.File) ([]core.Diagnostic, error) {
	var found []core.Diagnostic
	for _, file := range files {
		if strings.Contains(string(file.Content), l.secret) {
			found = append(found, core.Diagnostic{Path: file.Path, Message: l.secret})
		}
	}
	return found, nil
}

func TestAPreviewIsJudgedAsASite(t *testing.T) {
	made := pages{
		{Path: "@app/src/main.ts", Content: []byte("SECRET")},
		{Path: "@app/src/main.ts.map", Content: []byte("SECRET")},
		{Path: "@deps/a.js", Content: []byte("SECRET"), Immutable: true},
		{Path: "index.html", Content: []byte(`<link rel="stylesheet" href="/index.css">`)},
	}
	env := &leak{"SECRET"}
	maker := NewMaker(Deps{Sources: tree{}, Environment: env, Resolver: &bench{}, Builder: made})
	preview, err := maker.Make(t.Context(), core.NewID(), build.ModePreview)
	if err != nil || len(preview.Diagnostics) > 0 || len(preview.Files) != len(made) {
		t.Fatalf("got %+v, %v, want a preview", preview, err)
	}
	if got := preview.Warnings; len(got) != 2 || got[0].Path != "src/main.ts" || got[1].Path != "index.html" {
		t.Errorf("got the warnings %+v, want the secret in the source and the style sheet", got)
	}
	site, err := maker.Make(t.Context(), core.NewID(), build.ModeSite)
	if err != nil || len(site.Diagnostics) != 3 || len(site.Files) > 0 {
		t.Errorf("got %+v, %v, want no site that shows a secret", site, err)
	}
	env.secret = "OTHER"
	site, err = maker.Make(t.Context(), core.NewID(), build.ModeSite)
	if err != nil || len(site.Diagnostics) > 0 || len(site.Files) != len(made) || len(site.Warnings) != 1 {
		t.Errorf("got %+v, %v, want a site and a warning about its style sheet", site, err)
	}
}
