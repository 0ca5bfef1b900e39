package backend

import (
	"bytes"
	"crypto/rand"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/values"
)

// maxFileBytes is the preset of a field's maxSize.
const maxFileBytes = 5 << 20

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9]+`)

// accept reads an upload and gives it a name that nothing else has.
func accept(f *records.Field, upload *multipart.FileHeader) (name string, content []byte, problem *records.Flaw) {
	most := f.Options.MaxSize
	if most == 0 {
		most = maxFileBytes
	}
	if upload.Size > most {
		return "", nil, &records.Flaw{Code: "validation_file_size_limit", Message: "The file is larger than the field allows."}
	}
	file, err := upload.Open()
	if err != nil {
		return "", nil, records.FlawInvalid
	}
	defer file.Close()
	if content, err = io.ReadAll(file); err != nil {
		return "", nil, records.FlawInvalid
	}
	kind, _, _ := strings.Cut(http.DetectContentType(content), ";")
	if len(f.Options.MimeTypes) > 0 && !slices.Contains(f.Options.MimeTypes, kind) {
		return "", nil, &records.Flaw{Code: "validation_invalid_mime_type", Message: "The file's type is not allowed."}
	}
	extension := path.Ext(upload.Filename)
	base := notInNames.ReplaceAllString(strings.TrimSuffix(upload.Filename, extension), "_")
	extension = notInNames.ReplaceAllString(strings.TrimPrefix(extension, "."), "")
	name = base[:min(len(base), 100)] + "_" + strings.ToLower(rand.Text()[:10])
	if extension != "" {
		name += "." + extension[:min(len(extension), 20)]
	}
	return name, content, nil
}

// download answers GET /api/files/….
func (r *request) download(w http.ResponseWriter, from *http.Request, parts []string) error {
	c := r.state.Collection(parts[0])
	if c == nil {
		return errMissing()
	}
	one, ok := r.state.Find(c, parts[1])
	if !ok {
		return errMissing()
	}
	at := slices.IndexFunc(c.Fields, func(f *records.Field) bool {
		return f.Type == "file" && slices.Contains(values.Texts(one.Get(f)), parts[2])
	})
	if at < 0 {
		return errMissing()
	}
	if f := c.Fields[at]; f.Options.Protected {
		as := *r
		as.Context = "protectedFile"
		as.Auth, as.owner = records.Row{}, false
		if claims, who, ok := verify(r.state, r.Query["token"], tokenFile); ok {
			as.Auth, as.owner = who, claims.Owner
		}
		if may, err := as.allowed(c.Rules.View, one); err != nil || !may {
			return errMissing()
		}
	}
	content, ok := r.state.Files[c.ID+"/"+one.ID+"/"+parts[2]]
	if !ok {
		return errMissing()
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox")
	w.Header().Set("Cache-Control", "max-age=2592000, stale-while-revalidate=86400")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	kind := http.DetectContentType(content)
	w.Header().Set("Content-Type", kind)
	if !strings.HasPrefix(kind, "image/") || r.Query["download"] != "" {
		w.Header().Set("Content-Disposition", `attachment; filename="`+parts[2]+`"`)
	}
	http.ServeContent(w, from, parts[2], time.Time{}, bytes.NewReader(content))
	return nil
}

// fileToken answers POST /api/files/token.
func (r *request) fileToken() (any, error) {
	if r.owner {
		return map[string]any{"token": sign(r.state, records.Row{}, claims{Type: tokenFile, Owner: true}, fileTokenTime)}, nil
	}
	if !r.Auth.Exists() {
		return nil, errNoUser()
	}
	return map[string]any{"token": sign(r.state, r.Auth, claims{Type: tokenFile}, fileTokenTime)}, nil
}
