package webpage_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core/webpage"
)

func TestHTMLBecomesReadableText(t *testing.T) {
	for name, c := range map[string]struct{ html, title, want string }{
		"blocks":                    {"<div>a</div><div>b<br>c</div><p>d</p>", "", "a\nb\nc\n\nd"},
		"words across elements":     {"<p>a <b>b</b>c <i> d</i></p>", "", "a bc d"},
		"headings and lists":        {"<h2>T</h2><ul><li>a<li>b</ul>", "", "## T\n\n- a\n- b"},
		"a table":                   {"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "", "a b\n1 2"},
		"code keeps its space":      {"<pre><code>if a {\n  b\n}</code></pre><p>x", "", "if a {\n  b\n}\n\nx"},
		"links":                     {`<a href="https://x.y/z">docs</a> <a href="#top">up</a>`, "", "docs (https://x.y/z) up"},
		"pictures with words":       {`<p>See <img alt="a cat" src=x> and <img src=y>.`, "", "See [a cat] and ."},
		"entities":                  {"<p>&lt;b&gt; &amp;amp; &eacute;&#x41;", "", "<b> &amp; éA"},
		"scripts and styles":        {"a<script>if (a < b) '</div>'</script><style>p{}</style><noscript>x</noscript>b", "", "ab"},
		"a script that never ends":  {"a<script>b</scrip", "", "a"},
		"comments":                  {"a<!-- <p>hidden</p> -->b<!doctype html>", "", "ab"},
		"a comment that never ends": {"a<!-- b", "", "a"},
		"a tag that never ends":     {"a<p class='", "", "a"},
		"a mere less-than":          {"<p>1 < 2 <3 & 4", "", "1 < 2 <3 & 4"},
		"quotes that hold a tag":    {`<p title="a > b">c`, "", "c"},
		"a title":                   {"<head><title> A\n page </title></head><body>b", "A page", "b"},
		"nothing":                   {"", "", ""},
	} {
		if title, got := webpage.Text(c.html); got != c.want || title != c.title {
			t.Errorf("%s: got %q, %q, want %q, %q", name, title, got, c.title, c.want)
		}
	}
}

func FuzzTextOfAnyPage(f *testing.F) {
	for _, seed := range []string{"<", "<<<", "</", "<!--", "<a href=", "<script", "<p><p", "<pre>\n<a href='x'>", "&#;", "<title>", "<img alt=\"", "\xff<p>\xff", "<İ a=>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, page string) {
		_, text := webpage.Text(page)
		if strings.Contains(strings.ToLower(text), "<script>") && !strings.Contains(page, "&") && !strings.Contains(strings.ToLower(page), "<script>") {
			t.Errorf("got %q of %q, want no element that the page does not have", text, page)
		}
		if len(text) > 4*len(page)+100 {
			t.Errorf("got %d bytes of %d, want the text to be bounded by the page", len(text), len(page))
		}
	})
}
