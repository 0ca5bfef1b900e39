package sitehost

import (
	"bytes"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/compress"
	"github.com/atelierhq/atelier/adapters/internal/pagehead"
)

func TestInject(t *testing.T) {
	for page, want := range map[string]string{
		"":                         "*",
		"hello":                    "*hello",
		"<p>hello":                 "*<p>hello",
		"<!doctype html><p>x":      "<!doctype html>*<p>x",
		" \n<!DOCTYPE HTML>\n<p>x": " \n<!DOCTYPE HTML>*\n<p>x",
		"<html><p>x":               "<html>*<p>x",
		"<html lang='a>b'><body>":  "<html lang='a>b'>*<body>",
		"<!doctype html><html><head><title>x</title></head>":    "<!doctype html><html><head>*<title>x</title></head>",
		"<!doctype html>\n<html>\n<HEAD data-x=\">\">\n<title>": "<!doctype html>\n<html>\n<HEAD data-x=\">\">*\n<title>",
		"<!-- <head> --><html><head><title>":                    "<!-- <head> --><html><head>*<title>",
		"<!-- open <head>":                                      "*<!-- open <head>",
		"<!--><head>x":                                          "*<!--><head>x",
		"<header>x":                                             "*<header>x",
		"<head/><p>":                                            "<head/>*<p>",
		"<html":                                                 "*<html",
		"\ufeff<!doctype html><head>":                           "\ufeff<!doctype html><head>*",
	} {
		if got := string(inject([]byte(page), []byte("*"))); got != want {
			t.Errorf("%q: got %q, want %q", page, got, want)
		}
	}
}

func FuzzInject(f *testing.F) {
	for _, seed := range []string{"", "<!doctype html><html><head>", "<!-- -->", "<html a='", "<head"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		tag := []byte("<script-of-the-preview>")
		got := inject(page, tag)
		if len(got) != len(page)+len(tag) || !bytes.Contains(got, tag) {
			t.Fatalf("got %q of %q, want the tag in it", got, page)
		}
		if at := pagehead.Begin(page); string(got[:at])+string(got[at+len(tag):]) != string(page) {
			t.Fatalf("got %q of %q, want everything else as it was", got, page)
		}
	})
}

func FuzzEncodings(f *testing.F) {
	for _, seed := range []string{"", "gzip, br", "br;q=0", "*", ",,;", "gzip;q=0.0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accepted string) {
		brotli, zipped := compress.Accepted(accepted)
		lower := strings.ToLower(accepted)
		if brotli && !strings.Contains(lower, "br") || zipped && !strings.Contains(lower, "gzip") {
			t.Fatalf("got %v, %v of %q, want only what is named", brotli, zipped, accepted)
		}
		wantsPage(accepted)
	})
}
