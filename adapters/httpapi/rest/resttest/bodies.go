// Package resttest has what the tests of the web kit and those of the API share.
package resttest

import "strings"

// HostileBodies are request bodies that are not JSON, or JSON that tries to break its parser.
func HostileBodies() map[string]string {
	return map[string]string{
		"a space":                  " ",
		"a word":                   "email",
		"a BOM":                    "\ufeff" + `{"email":"a@example.com","password":"correct horse"}`,
		"UTF-16":                   "\xff\xfe{\x00}\x00",
		"invalid UTF-8":            `{"email":"a@example.com","password":"correct` + "\xff\xc0\xaf" + `horse"}`,
		"cut off":                  `{"email":"a@example.com","password":"corr`,
		"trailing data":            `{"email":"a@example.com","password":"correct horse"}{}`,
		"trailing text":            `{"email":"a@example.com","password":"correct horse"} x`,
		"a trailing comma":         `{"email":"a@example.com","password":"correct horse",}`,
		"a comment":                `{"email":"a@example.com",/**/"password":"correct horse"}`,
		"single quotes":            `{'email':'a@example.com'}`,
		"a control character":      "{\"email\":\"a@example.com\",\"password\":\"correct\nhorse\"}",
		"a NUL":                    "{\"email\":\"a@example.com\",\"password\":\"correct horse\"}\x00",
		"not a number":             `{"email":NaN}`,
		"a huge number":            `{"email":` + strings.Repeat("9", 100_000) + `}`,
		"a huge exponent":          `{"email":1e999999999}`,
		"an object for an address": `{"email":{"$ne":null},"password":{"$gt":""}}`,
		"a list for an address":    `{"email":["a@example.com"],"password":"correct horse"}`,
		"deep lists":               strings.Repeat("[", 100_000),
		"deep lists that close":    strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"deep objects":             strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000),
		"a deep unknown member":    `{"email":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		"many members":             `{` + strings.Repeat(`"a":1,`, 100_000) + `"a":1}`,
		"a long name":              `{"` + strings.Repeat("é", 400_000) + `":1}`,
		"half a surrogate":         `{"email":"a@example.com","password":"correct \ud800 horse"}`,
		"halves in wrong order":    `{"email":"a@example.com","password":"correct \udc00\ud800 horse"}`,
		"half at the end":          `{"email":"a@example.com","password":"correct horse \ud83d"}`,
		"half and another escape":  `{"email":"a@example.com","password":"correct horse \ud83d\u0041"}`,
		"form data":                `email=a%40example.com&password=correct+horse`,
		"XML":                      `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>`,
	}
}
