package settings

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// secretFile writes a file with content and returns its path.
func secretFile(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestEverySecretMayBeInAFile(t *testing.T) {
	key := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", KeyBytes)))
	common := map[string]string{"MAIL_FROM": "atelier@example.com", "GITHUB_CLIENT_ID": "id", "GOOGLE_CLIENT_ID": "id", "NPM_SCOPES": "@acme=https://npm.example", "BACKUP_TARGET": "s3://backups"}
	held := map[string]string{
		"JWT_SECRET": strings.Repeat("s", MinSecretBytes), "ENCRYPTION_KEY": key, "DATABASE_URL": "postgres://u:pw@db/atelier",
		"NATS_URL": "nats://u:pw@127.0.0.1:4222", "SMTP_URL": "smtp://u:pw@mail.example:587", "AI_API_KEY": "sk-x",
		"GITHUB_CLIENT_SECRET": "gh", "GOOGLE_CLIENT_SECRET": "go", "NPM_TOKEN": "npm", "NPM_SCOPE_TOKENS": "@acme=token", "METRICS_TOKEN": "metrics",
		"BACKUP_KEY": "AGE-SECRET-KEY-1A629D295SRXSK953FN9QYZPDRSCZZ9AEZLXCE857X87UJ2DND2DSC0LZAM", "BACKUP_ACCESS_KEY": "access", "BACKUP_SECRET_KEY": "backup",
		"OTEL_EXPORTER_OTLP_HEADERS": "api-key=traces",
	}
	for _, name := range secrets {
		if held[name] == "" {
			t.Errorf("%s has no value here", name)
		}
		common[name+"_FILE"] = secretFile(t, held[name]+"\r\n")
	}
	s, err := Read(env(common))
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{
		"JWT_SECRET": string(s.JWTSecret), "ENCRYPTION_KEY": base64.StdEncoding.EncodeToString(s.EncryptionKey), "DATABASE_URL": s.DatabaseURL,
		"NATS_URL": s.NATS.URL, "AI_API_KEY": s.AI.Key, "GITHUB_CLIENT_SECRET": s.OAuth.GitHub.Secret, "GOOGLE_CLIENT_SECRET": s.OAuth.Google.Secret,
		"NPM_TOKEN": s.NPM.Registry.Token, "METRICS_TOKEN": s.MetricsToken, "BACKUP_ACCESS_KEY": s.Backup.Bucket.AccessKey, "BACKUP_SECRET_KEY": s.Backup.Bucket.SecretKey, "NPM_SCOPE_TOKENS": "@acme=" + s.NPM.Scopes["@acme"].Token,
		"OTEL_EXPORTER_OTLP_HEADERS": "api-key=" + s.Traces.Headers["api-key"],
	} {
		if got != held[name] {
			t.Errorf("%s: got %q, want %q", name, got, held[name])
		}
	}
	if s.Mail.Server.IsZero() {
		t.Error("SMTP_URL: got no server")
	}
}

func TestABadSecretFileStopsTheStartWithOneLineThatNamesIt(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, name := range secrets {
		for what, c := range map[string]struct{ file, beside, want string }{
			"a missing file": {missing, "", name + `_FILE is "` + missing + `", but must be a file that can be read: no such file or directory`},
			"a folder":       {t.TempDir(), "", name + "_FILE is "},
			"an empty file":  {secretFile(t, "\n"), "", name + "_FILE is "},
			"a huge file":    {secretFile(t, strings.Repeat("hunter2", 10_000)), "", name + "_FILE is "},
			"both":           {secretFile(t, "hunter2"), "hunter3", name + "_FILE is "},
		} {
			_, err := Read(env(map[string]string{name + "_FILE": c.file, name: c.beside}))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "hunter") {
				t.Errorf("%s, %s: got %v, want one line that begins with %s and shows no secret", name, what, err, c.want)
			}
		}
	}
}
