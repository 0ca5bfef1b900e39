package settings

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
)

// MinSecretBytes is the minimum length of JWT_SECRET (RFC 7518, section 3.2).
const MinSecretBytes = 32

// KeyBytes is the length of ENCRYPTION_KEY: AES-256.
const KeyBytes = 32

// reader reads single variables and keeps the first mistake. Functions such as readMail use
// it to read all variables of one subject.
type reader struct {
	lookup func(string) string
	// files has the content of the files that hold secrets, by the secret's name.
	files map[string]string
	err   error
}

// fail records the first mistake as the one line that stops the start. A secret's value is
// passed as "".
func (r *reader) fail(name, got, want string) {
	if r.err != nil {
		return
	}
	if got == "" {
		r.err = fmt.Errorf("%s must be %s", name, want)
		return
	}
	r.err = fmt.Errorf("%s is %q, but must be %s", name, got, want)
}

func (r *reader) text(name, preset string, ok func(string) bool, want string) string {
	got := r.env(name)
	if got == "" {
		got = preset
	}
	if !ok(got) {
		r.fail(name, got, want)
	}
	return got
}

func (r *reader) choice(name, preset string, options ...string) string {
	return r.text(name, preset, func(got string) bool { return slices.Contains(options, got) }, strings.Join(options, ", "))
}

func (r *reader) path(name, preset string) string {
	got := r.env(name)
	if got == "" {
		got = preset
	}
	absolute, err := filepath.Abs(got)
	if err != nil {
		r.fail(name, got, "a directory")
	}
	return absolute
}

func (r *reader) url(name, preset string) *url.URL {
	got := r.env(name)
	if got == "" {
		got = preset
	}
	parsed, err := url.Parse(strings.TrimSuffix(got, "/"))
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" || parsed.User != nil {
		r.fail(name, got, "an http or https URL without user information")
		return &url.URL{}
	}
	return parsed
}

// appURL reads the public address of the service: a host, or a path on one.
func (r *reader) appURL(name, preset string) *url.URL {
	parsed := r.url(name, preset)
	if parsed.RawQuery != "" || parsed.Fragment != "" || parsed.ForceQuery || strings.Contains(r.env(name), "#") || !isPlainPath(parsed.EscapedPath()) {
		r.fail(name, r.env(name), "an http or https URL without a query or fragment, whose path, if any, has only letters, digits, -, _, . and ~ in its segments")
	}
	return parsed
}

// isPlainPath accepts "" and paths whose segments need no escaping.
func isPlainPath(path string) bool {
	if path == "" {
		return true
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		foreign := strings.ContainsFunc(segment, func(c rune) bool {
			return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.~", c))
		})
		if foreign || segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// ollama reads the address of an Ollama: a URL, or the host and port that its own programs
// accept. One that listens at all addresses is reached at this machine's loopback.
func (r *reader) ollama(name string) string {
	const port = "11434"
	got := r.env(name)
	if got == "" || strings.Contains(got, "://") {
		return r.url(name, "http://127.0.0.1:"+port).String()
	}
	host, given, err := net.SplitHostPort(got)
	if err != nil {
		host, given = strings.Trim(got, "[]"), port
	}
	if address, err := netip.ParseAddr(host); host == "" || err == nil && address.IsUnspecified() {
		host = "127.0.0.1"
	}
	whole := "http://" + net.JoinHostPort(host, given)
	if parsed, err := url.Parse(whole); err != nil || parsed.Hostname() != host || !isListenAddr(parsed.Host) {
		r.fail(name, got, "a URL such as http://127.0.0.1:"+port+", or a host and port")
	}
	return whole
}

func (r *reader) number(name string, preset, least, most int64) int64 {
	got := r.env(name)
	if got == "" {
		return preset
	}
	n, err := strconv.ParseInt(got, 10, 64)
	if err != nil || n < least || n > most {
		r.fail(name, got, fmt.Sprintf("a number from %d to %d", least, most))
	}
	return n
}

func (r *reader) amount(name string) *float64 {
	got := r.env(name)
	if got == "" {
		return nil
	}
	amount, err := strconv.ParseFloat(got, 64)
	if err != nil || !(amount >= 0 && amount <= 1e9) {
		r.fail(name, got, "an amount of USD, such as 25 or 2.50")
	}
	return &amount
}

// prices reads the JSON file that the variable names.
func (r *reader) prices(name string) models.Prices {
	return readFile(r, name, `a file such as {"gpt-5": {"input": 1.25, "output": 10}}, in USD per million tokens`, models.ParsePrices)
}

// catalogue reads the JSON file that the variable names.
func (r *reader) catalogue(name string) models.Catalogue {
	return readFile(r, name, `a file such as {"models": {"gpt-5": {"contextTokens": 272000, "price": {"input": 1.25, "output": 10}}}}`, models.ParseCatalogue)
}

// readFile parses the file that the variable names. Without one, or after a failure, it
// returns the zero value.
func readFile[T any](r *reader, name, form string, parse func([]byte) (T, error)) (parsed T) {
	got := r.env(name)
	if got == "" {
		return parsed
	}
	content, err := os.ReadFile(got)
	if err != nil {
		r.fail(name, got, "a file that can be read: "+reasonOf(err))
		return parsed
	}
	if parsed, err = parse(content); err != nil {
		r.fail(name, got, form+": "+reasonOf(err))
	}
	return parsed
}

// reasonOf returns an error's text without the file name and the code.
func reasonOf(err error) string {
	var path *fs.PathError
	var known *core.Error
	switch {
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.As(err, &known):
		return known.Message
	}
	return err.Error()
}

// duration parses a Go duration, or a number of days such as 7d.
func (r *reader) duration(name string, preset time.Duration) time.Duration {
	got := r.env(name)
	if got == "" {
		return preset
	}
	d, err := time.ParseDuration(got)
	if days, isDays := strings.CutSuffix(got, "d"); isDays {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d < time.Second || d > 10*365*24*time.Hour {
		r.fail(name, got, "a duration of at least a second, such as 15m, 12h or 7d")
	}
	return d
}

// durationUpTo parses a duration that has a maximum.
func (r *reader) durationUpTo(name string, preset, most time.Duration) time.Duration {
	d := r.duration(name, preset)
	if d > most {
		r.fail(name, r.env(name), fmt.Sprintf("a duration from 1s to %s", most))
	}
	return d
}

func (r *reader) level(name string, preset slog.Level) slog.Level {
	got := r.env(name)
	level := preset
	if got != "" && level.UnmarshalText([]byte(got)) != nil {
		r.fail(name, got, "debug, info, warn or error")
	}
	return level
}

func (r *reader) prefixes(name string) []netip.Prefix {
	var prefixes []netip.Prefix
	for part := range strings.FieldsFuncSeq(r.env(name), func(c rune) bool { return c == ',' || c == ' ' }) {
		prefix, err := netip.ParsePrefix(part)
		if err != nil {
			r.fail(name, part, "networks such as 10.0.0.0/8, separated by commas")
			return nil
		}
		prefixes = append(prefixes, prefix)
	}
	return prefixes
}

func (r *reader) secret(name string) []byte {
	got := r.env(name)
	if got != "" && len(got) < MinSecretBytes {
		r.fail(name, "", fmt.Sprintf("a secret of at least %d bytes", MinSecretBytes))
	}
	if strings.Contains(strings.ToLower(got), "change-me") {
		r.fail(name, "", "a secret of your own, not the example's, which everybody knows: make one with openssl rand -hex 32")
	}
	return []byte(got)
}

func (r *reader) key(name string) []byte {
	got := r.env(name)
	if got == "" {
		return nil
	}
	key, err := base64.StdEncoding.DecodeString(got)
	if err != nil || len(key) != KeyBytes {
		r.fail(name, "", fmt.Sprintf("%d bytes in base64", KeyBytes))
	}
	if bytes.Equal(key, make([]byte, KeyBytes)) {
		r.fail(name, "", "a key of your own, not the example's, which everybody knows: make one with openssl rand -base64 32")
	}
	return key
}

// localAddress returns the host and port at which this machine's browsers reach a service
// that listens at an address. A port that the system chooses is not known in time.
func localAddress(listen string) string {
	_, port, err := net.SplitHostPort(listen)
	if number, _ := strconv.Atoi(port); err != nil || number == 0 {
		port = "8080"
	}
	if port == "80" {
		return "localhost"
	}
	return "localhost:" + port
}

func isNotEmpty(text string) bool { return strings.TrimSpace(text) != "" }

func isListenAddr(text string) bool {
	_, port, err := net.SplitHostPort(text)
	n, bad := strconv.Atoi(port)
	return err == nil && bad == nil && n >= 0 && n <= 65535
}

func isDatabaseURL(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && (parsed.Scheme == "sqlite" || parsed.Scheme == "postgres" || parsed.Scheme == "postgresql")
}

// isDomain accepts a host name of lower-case labels, with or without a port.
func isDomain(text string) bool {
	host := HostOf(text)
	if host == "" || len(host) > 253 || host != text && !isListenAddr(text) {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		bad := strings.ContainsFunc(label, func(c rune) bool {
			return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-')
		})
		if label == "" || len(label) > 63 || bad {
			return false
		}
	}
	return true
}

// HostOf returns a domain without its port.
func HostOf(domain string) string {
	host, _, err := net.SplitHostPort(domain)
	if err != nil {
		return domain
	}
	return host
}

func isLocal(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host) != nil
}
