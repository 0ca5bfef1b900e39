package builds

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/build"
)

const trapped = `<input type="text" name="_website" value="" hidden tabindex="-1" autocomplete="off" aria-hidden="true">`

func TestMarkedFormsAreSentToTheBackend(t *testing.T) {
	for page, want := range map[string]string{
		"":                      "",
		`<form action="/x">`:    `<form action="/x">`,
		`<p data-atelier>`:      `<p data-atelier>`,
		`<form data-atelier>`:   `<form method="post" action="/_data/forms/messages?from=%2Fabout%2F" data-atelier>` + trapped,
		`<form data-atelier=a>`: `<form method="post" action="/_data/forms/a?from=%2Fabout%2F" data-atelier=a>` + trapped,
		`<FORM class="a" METHOD=get data-atelier name="orders">x</FORM>`: `<form method="post" action="/_data/forms/orders?from=%2Fabout%2F" class="a" data-atelier name="orders">` + trapped + `x</FORM>`,
		`<form data-atelier="a b">`:                                      `<form data-atelier="a b">`,
		`<form data-atelier="../x">`:                                     `<form data-atelier="../x">`,
		`<form data-atelier action="thanks.html">`:                       `<form method="post" action="/_data/forms/messages?from=%2Fabout%2F&amp;next=%2Fabout%2Fthanks.html" data-atelier>` + trapped,
		`<form data-atelier action="/a?b=1&amp;c">`:                      `<form method="post" action="/_data/forms/messages?from=%2Fabout%2F&amp;next=%2Fa%3Fb%3D1%26c" data-atelier>` + trapped,
		`<form data-atelier action="https://evil.example/x">`:            `<form method="post" action="/_data/forms/messages?from=%2Fabout%2F" data-atelier>` + trapped,
		`<form data-atelier action="//evil.example/x">`:                  `<form method="post" action="/_data/forms/messages?from=%2Fabout%2F" data-atelier>` + trapped,
		`<form data-atelier><input type=file></form><form data-atelier=b>`: `<form method="post" action="/_data/forms/messages?from=%2Fabout%2F" enctype="multipart/form-data" data-atelier>` + trapped +
			`<input type=file></form><form method="post" action="/_data/forms/b?from=%2Fabout%2F" data-atelier=b>` + trapped,
		`<form data-atelier><input name=a type="checkbox"><input type=checkbox value=x></form><input type=checkbox>`: `<form method="post" action="/_data/forms/messages?from=%2Fabout%2F" data-atelier>` + trapped +
			`<input value="true" name=a type="checkbox"><input type=checkbox value=x></form><input type=checkbox>`,
	} {
		if got := WithForms(page, "about/index.html"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", page, got, want)
		}
	}
}

func TestOnlyPagesAreChanged(t *testing.T) {
	form := `<form data-atelier>`
	files := withForms([]build.File{{Path: "a.js", Content: []byte(form)}, {Path: "b.html", Content: []byte("<p>")}, {Path: "c.html", Content: []byte(form)}})
	if string(files[0].Content) != form || string(files[1].Content) != "<p>" || !strings.Contains(string(files[2].Content), `from=%2Fc.html`) {
		t.Errorf("got %+v", files)
	}
}

func FuzzWithForms(f *testing.F) {
	f.Add(`<form data-atelier action="x"><input type=checkbox></form>`)
	f.Fuzz(func(t *testing.T, page string) {
		if !strings.Contains(strings.ToLower(page), "data-atelier") && WithForms(page, "a.html") != page {
			t.Errorf("changed %q", page)
		}
	})
}
