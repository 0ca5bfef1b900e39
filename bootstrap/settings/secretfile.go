package settings

import (
	"io"
	"os"
	"slices"
	"strings"
)

// secrets are the settings whose value may be in a file instead, which the variable with
// the suffix _FILE names: what starts containers and services hands secrets over as files,
// because other processes can see the environment.
var secrets = [...]string{
	"JWT_SECRET", "ENCRYPTION_KEY", "DATABASE_URL", "NATS_URL", "SMTP_URL", "AI_API_KEY",
	"GITHUB_CLIENT_SECRET", "GOOGLE_CLIENT_SECRET", "NPM_TOKEN", "NPM_SCOPE_TOKENS", "METRICS_TOKEN",
	"BACKUP_KEY", "BACKUP_ACCESS_KEY", "BACKUP_SECRET_KEY", "OTEL_EXPORTER_OTLP_HEADERS",
}

// fileSuffix ends the names of variables that name a secret's file.
const fileSuffix = "_FILE"

// maxSecretBytes exceeds every secret, so that a wrong file is refused rather than read.
const maxSecretBytes = 64 << 10

// env looks a variable up; a secret also in its file.
func (r *reader) env(name string) string {
	value := r.lookup(name)
	if !slices.Contains(secrets[:], name) {
		return value
	}
	file := r.lookup(name + fileSuffix)
	if file == "" {
		return value
	}
	if value != "" {
		r.fail(name+fileSuffix, file, "left out beside "+name+", which is set too")
		return value
	}
	content, read := r.files[name]
	if !read {
		content = r.secretFile(name+fileSuffix, file)
		r.files[name] = content
	}
	return content
}

// secretFile reads a secret, without the line end that editors and echo add.
func (r *reader) secretFile(name, file string) string {
	opened, err := os.Open(file)
	if err != nil {
		r.fail(name, file, "a file that can be read: "+reasonOf(err))
		return ""
	}
	defer func() { _ = opened.Close() }()
	content, err := io.ReadAll(io.LimitReader(opened, maxSecretBytes+1))
	secret := strings.TrimRight(string(content), "\r\n")
	switch {
	case err != nil:
		r.fail(name, file, "a file that can be read: "+reasonOf(err))
	case len(content) > maxSecretBytes:
		r.fail(name, file, "a file with a secret of at most 64 KiB")
	case strings.TrimSpace(secret) == "":
		r.fail(name, file, "a file with a secret; it is empty")
	}
	return secret
}
