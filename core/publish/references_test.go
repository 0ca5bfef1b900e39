package publish

import (
	"slices"
	"strings"
	"testing"
)

func TestReferences(t *testing.T) {
	for page, want := range map[string]string{
		`<!doctype html><script type="module" src="/assets/a.js"></script>`:              "/assets/a.js",
		`<SCRIPT SRC='a.js'></SCRIPT><link REL=stylesheet href=b.css>`:                   "a.js b.css",
		`<link rel="modulepreload" crossorigin href="c.js"/><link rel=icon href="d.js">`: "c.js",
		`<!-- <script src="no.js"></script> --><script src="yes.js">`:                    "yes.js",
		`<script>document.write('<script src="no.js"><\/script>')</script>`:              "",
		`<script>"<script src='no.js'>"</script ><script src="yes.js"></script>`:         "yes.js",
		`<style>/* <link rel=stylesheet href=no.css> */</style>`:                         "",
		`<textarea><script src=no.js></script></textarea>`:                               "",
		`<template><script src=no.js></script></template><script src=yes.js></script>`:   "yes.js",
		`<base href="https://cdn.example/"><script src="a.js"></script>`:                 "",
		`<script src="first.js" src="second.js"></script>`:                               "first.js",
		`<script src=" a.js "></script><script src=""></script><script src>`:             "a.js",
		`<script src="unclosed.js`:                                                       "",
		`a < b && c > d <1 <script =x src=a.js>`:                                         "a.js",
		`<script`:                                                                        "",
		`<!--`:                                                                           "",
		`<`:                                                                              "",
		`</script`:                                                                       "",
	} {
		if got := references(page); strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}

func FuzzReferences(f *testing.F) {
	f.Add(`<script src="a.js"></script><!-- x --><link rel=stylesheet href='b.css'>`)
	f.Add("<a =\x00<script/src=x>")
	f.Fuzz(func(t *testing.T, page string) {
		for _, ref := range references(page) {
			if ref == "" || !strings.Contains(page, ref) {
				t.Fatalf("got %q, want a part of the page", ref)
			}
		}
	})
}

func TestLocate(t *testing.T) {
	for _, c := range []struct{ page, ref, want string }{
		{"index.html", "/assets/a.js", "assets/a.js"},
		{"index.html", "a.js?v=1#x", "a.js"},
		{"docs/index.html", "../a.css", "a.css"},
		{"docs/index.html", "./a.css", "docs/a.css"},
		{"docs/index.html", "../../a.css", "../a.css"},
		{"index.html", "https://cdn.example/a.js", ""},
		{"index.html", "//cdn.example/a.js", ""},
		{"index.html", "data:text/css,a", ""},
		{"index.html", "/api/script", ""},
		{"index.html", "/a%20b.js", ""},
		{"index.html", "{{ asset }}.js", ""},
	} {
		got, own := locate(c.page, c.ref)
		if got != c.want || own != (c.want != "") {
			t.Errorf("%s in %s: got %q, %v, want %q", c.ref, c.page, got, own, c.want)
		}
	}
}

func TestReferencesKeepTheirOrder(t *testing.T) {
	got := references(`<script src="b.js"></script><script src="a.js"></script>`)
	if !slices.Equal(got, []string{"b.js", "a.js"}) {
		t.Errorf("got %v, want b.js before a.js", got)
	}
}
