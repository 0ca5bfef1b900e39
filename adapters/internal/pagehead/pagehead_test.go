package pagehead_test

import (
	"bytes"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/pagehead"
)

const whole = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Old</title><meta name="Description" content="old"><link rel="shortcut icon" href="/old.ico"></head>
<body><h1>Hi</h1></body></html>`

func TestTheStartPageSaysAll(t *testing.T) {
	head := pagehead.Head{Title: `A & "B"`, Description: "New", Image: "https://example.com/i.png", Favicon: "/f.svg", Language: "de", NoIndex: true}
	want := `<!doctype html>
<html lang="de"><head><meta charset="utf-8">` +
		`<title>A &amp; &#34;B&#34;</title><meta name="description" content="New"><meta property="og:title" content="A &amp; &#34;B&#34;"><meta property="og:description" content="New">` +
		`<meta property="og:image" content="https://example.com/i.png"><meta name="twitter:card" content="summary_large_image"><link rel="icon" href="/f.svg"><meta name="robots" content="noindex"></head>
<body><h1>Hi</h1></body></html>`
	if got := pagehead.Apply([]byte(whole), head, true); string(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestOtherPagesKeepTheirOwnWords(t *testing.T) {
	head := pagehead.Head{Title: "T", Description: "New", Favicon: "/f.svg", Language: "de"}
	want := `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Old</title><meta name="Description" content="old">` +
		`<meta property="og:title" content="T"><meta property="og:description" content="New"><link rel="icon" href="/f.svg"></head>
<body><h1>Hi</h1></body></html>`
	if got := pagehead.Apply([]byte(whole), head, false); string(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestPagesOfAnyForm(t *testing.T) {
	head := pagehead.Head{Title: "T", Language: "de"}
	const added = `<title>T</title><meta property="og:title" content="T">`
	for page, want := range map[string]string{
		``:                                     added,
		`text`:                                 added + `text`,
		`<p>a</p>`:                             added + `<p>a</p>`,
		`<!doctype html><p>a`:                  `<!doctype html>` + added + `<p>a`,
		`<html><p>a`:                           `<html lang="de">` + added + `<p>a`,
		`<html><head><meta charset=utf-8><p>a`: `<html lang="de"><head>` + added + `<meta charset=utf-8><p>a`,
		`<head><title>a</title></head>`:        `<head>` + added + `</head>`,
		`<html LANG=en><head></head><body><title>in a picture</title>`: `<html lang="de"><head>` + added + `</head><body><title>in a picture</title>`,
		`<html><head><script>"</head>"</script></head>`:                `<html lang="de"><head><script>"</head>"</script>` + added + `</head>`,
		`<html><body><svg><title>a</title></svg>`:                      `<html lang="de">` + added + `<body><svg><title>a</title></svg>`,
	} {
		if got := pagehead.Apply([]byte(page), head, true); string(got) != want {
			t.Errorf("%s: got %s, want %s", page, got, want)
		}
	}
}

func TestNothingToSayChangesNothing(t *testing.T) {
	if got := pagehead.Apply([]byte(whole), pagehead.Head{}, true); string(got) != whole {
		t.Errorf("got %s", got)
	}
}

func FuzzApply(f *testing.F) {
	f.Add([]byte(whole), true)
	f.Add([]byte(`<html lang><head><title>a</title><title>`), false)
	head := pagehead.Head{Title: "<t>", Description: "d", Image: "https://e/i", Favicon: "/f", Language: "de", NoIndex: true}
	f.Fuzz(func(t *testing.T, page []byte, start bool) {
		got := pagehead.Apply(page, head, start)
		if !bytes.Contains(got, []byte(`<meta name="robots" content="noindex">`)) {
			t.Fatalf("got %q for %q", got, page)
		}
	})
}
