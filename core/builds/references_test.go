package builds

import (
	"html"
	"slices"
	"strings"
	"testing"
)

func TestReferences(t *testing.T) {
	for page, want := range map[string]string{
		`<!doctype html><script type="module" src="/assets/a.js"></script>`:                                           "/assets/a.js",
		`<SCRIPT SRC='a.js'></SCRIPT><link REL=stylesheet href=b.css>`:                                                "a.js b.css",
		`<link rel="modulepreload" crossorigin href="c.js"/><link rel=canonical href="d.js">`:                         "c.js",
		`<link rel="shortcut icon" href=i.ico><link rel=manifest href=m.json><meta property=og:image content=/o.png>`: "i.ico m.json /o.png",
		`<img src="a&amp;b.png" srcset="a.png 1x, b.png 2x"><a href=no.html><video poster=p.jpg></video>`:             "a&b.png a.png b.png p.jpg",
		`<!-- <script src="no.js"></script> --><script src="yes.js">`:                                                 "yes.js",
		`<script>document.write('<script src="no.js"><\/script>')</script>`:                                           "",
		`<script>"<script src='no.js'>"</script ><script src="yes.js"></script>`:                                      "yes.js",
		`<style>/* <link rel=stylesheet href=no.css> */</style>`:                                                      "",
		`<textarea><script src=no.js></script></textarea>`:                                                            "",
		`<template><script src=no.js></script></template><script src=yes.js></script>`:                                "yes.js",
		`<base href="https://cdn.example/"><script src="a.js"></script>`:                                              "",
		`<script src="first.js" src="second.js"></script>`:                                                            "first.js",
		`<script src=" a.js "></script><script src=""></script><script src>`:                                          "a.js",
		`<script src="unclosed.js`:               "",
		`a < b && c > d <1 <script =x src=a.js>`: "a.js",
		`<script`:                                "",
		`<!--`:                                   "",
		`<`:                                      "",
		`</script`:                               "",
	} {
		var got []string
		for _, ref := range references(page) {
			got = append(got, ref.address)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}

func FuzzReferences(f *testing.F) {
	f.Add(`<script src="a.js"></script><!-- x --><link rel=stylesheet href='b.css'>`)
	f.Add("<a =\x00<script/src=x>")
	f.Fuzz(func(t *testing.T, page string) {
		for _, ref := range references(page) {
			if ref.address == "" || !strings.Contains(html.UnescapeString(page), ref.address) {
				t.Fatalf("got %q, want a part of the page", ref.address)
			}
			locate("docs/index.html", ref.address)
		}
	})
}

func TestLocate(t *testing.T) {
	for _, c := range []struct{ page, ref, want string }{
		{"index.html", "/assets/a.js", "assets/a.js"},
		{"index.html", "a.js?v=1#x", "a.js"},
		{"docs/index.html", "../a.css", "a.css"},
		{"docs/index.html", "./a.css", "docs/a.css"},
		{"docs/index.html", "../../a.css", "a.css"},
		{"index.html", "https://cdn.example/a.js", ""},
		{"index.html", "//cdn.example/a.js", ""},
		{"index.html", "data:text/css,a", ""},
		{"index.html", "/api/script", ""},
		{"index.html", "/a%20b.js", "a b.js"},
		{"index.html", "/%VITE_LOGO%.png", ""},
		{"index.html", "/_data/api/files/a/b/c.png", ""},
		{"index.html", "{{ asset }}.js", ""},
	} {
		got, own := locate(c.page, c.ref)
		if got != c.want || own != (c.want != "") {
			t.Errorf("%s in %s: got %q, %v, want %q", c.ref, c.page, got, own, c.want)
		}
	}
}

func TestOnlyModulesAreEssential(t *testing.T) {
	got := references(`<script type="module" src="b.js"></script><script src="a.js"></script>`)
	if !slices.Equal(got, []reference{{"b.js", true}, {"a.js", false}}) {
		t.Errorf("got %v, want b.js, which is essential, before a.js", got)
	}
}
