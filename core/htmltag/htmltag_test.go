package htmltag_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core/htmltag"
)

// show writes tags in one line: their names and attributes, as they were read.
func show(page string) string {
	var b strings.Builder
	for tag := range htmltag.All(page) {
		if tag.End {
			b.WriteString("/")
		}
		b.WriteString(tag.Name)
		for _, attribute := range tag.Attributes {
			fmt.Fprintf(&b, "[%s=%s]", attribute.Name, attribute.Value)
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}

func TestTagsAreFoundAsBrowsersDo(t *testing.T) {
	for page, want := range map[string]string{
		"":                                       "",
		"<!doctype html><p>a</p>":                "p /p",
		`<A HREF="x" b='y>"' c=z d e = f/>`:      `a[href=x][b=y>"][c=z][d=][e=f/]`,
		`<!-- <a> --><b>`:                        "b",
		`<!-- <a> `:                              "",
		`<!--><b>`:                               "b",
		`<script>"<a>" </scripty> </SCRIPT ><b>`: "script /script b",
		`<title><b></title><i>`:                  "title /title i",
		`<style><a>`:                             "style",
		`<p =x="1" / data-x>`:                    "p[=x=1][data-x=]",
		`<p a="1`:                                "",
		`1 < 2 <3 <b>`:                           "b",
		`<my-element.x a>`:                       "my-element.x[a=]",
		`</p x="1">`:                             "/p[x=1]",
		`<?php <b> ?>`:                           "b",
		`<p a=1 a=2>`:                            "p[a=1][a=2]",
	} {
		if got := show(page); got != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}

func TestOffsetsAreThoseOfThePage(t *testing.T) {
	page := "ä<p  a = \"1\" b>x</p>"
	for tag := range htmltag.All(page) {
		if tag.End {
			continue
		}
		a, _ := tag.Attribute("a")
		b, _ := tag.Attribute("b")
		if got := []string{page[tag.Start:tag.Stop], page[a.Start:a.Stop], page[b.Start:b.Stop], tag.Value("a"), tag.Value("c")}; fmt.Sprint(got) != fmt.Sprint([]string{`<p  a = "1" b>`, `a = "1"`, "b", "1", ""}) {
			t.Errorf("got %q", got)
		}
	}
}

func TestHostilePagesTakeLinearTime(t *testing.T) {
	for _, part := range []string{"<", "<a", "<a ", "<!--", "<script>", "</", "<title></titl", "<a =", `<a "`, "<a b='"} {
		page := strings.Repeat(part, 1<<20/len(part))
		count := 0
		for range htmltag.All(page) {
			count++
		}
		if count > len(page) {
			t.Errorf("%q: got %d tags", part, count)
		}
	}
}

func FuzzAll(f *testing.F) {
	f.Add(`<p a="1">x</p><!-- --><script></script>`)
	f.Fuzz(func(t *testing.T, page string) {
		at := 0
		for tag := range htmltag.All(page) {
			if tag.Start < at || tag.Stop <= tag.Start || tag.Stop > len(page) || page[tag.Start] != '<' || page[tag.Stop-1] != '>' {
				t.Fatalf("got %+v after %d in %q", tag, at, page)
			}
			at = tag.Stop
			for _, attribute := range tag.Attributes {
				if attribute.Start <= tag.Start || attribute.Stop >= tag.Stop || attribute.Start >= attribute.Stop {
					t.Fatalf("got %+v in %+v", attribute, tag)
				}
			}
		}
	})
}
