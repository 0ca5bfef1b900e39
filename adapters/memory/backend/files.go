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
)

// maxFileBytes is the preset of a field's maxSize.
const maxFileBytes = 5 << 20

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9]+`)

// accept reads an upload and gives it a name that nothing else has.
func (f *field) accept(upload *multipart.FileHeader) (name string, content []byte, problem *flaw) {
	most := f.options.MaxSize
	if most == 0 {
		most = maxFileBytes
	}
	if upload.Size > most {
		return "", nil, &flaw{"validation_file_size_limit", "The file is larger than the field allows."}
	}
	file, err := upload.Open()
	if err != nil {
		return "", nil, flawInvalid
	}
	defer file.Close()
	if content, err = io.ReadAll(file); err != nil {
		return "", nil, flawInvalid
	}
	kind, _, _ := strings.Cut(http.DetectContentType(content), ";")
	if len(f.options.MimeTypes) > 0 && !slices.Contains(f.options.MimeTypes, kind) {
		return "", nil, &flaw{"validation_invalid_mime_type", "The file's type is not allowed."}
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
	c := r.state.collection(parts[0])
	if c == nil {
		return errMissing()
	}
	one, ok := r.state.find(c, parts[1])
	if !ok {
		return errMissing()
	}
	at := slices.IndexFunc(c.fields, func(f *field) bool { return f.Type == "file" && slices.Contains(textsOf(one.get(f)), parts[2]) })
	if at < 0 {
		return errMissing()
	}
	if f := c.fields[at]; f.options.Protected {
		as := *r
		as.context = "protectedFile"
		as.auth, as.owner = row{}, false
		if claims, who, ok := r.state.verify(r.query["token"], tokenFile); ok {
			as.auth, as.owner = who, claims.Owner
		}
		if may, err := as.allowed(c.Rules.View, one); err != nil || !may {
			return errMissing()
		}
	}
	content, ok := r.state.files[c.ID+"/"+one.id+"/"+parts[2]]
	if !ok {
		return errMissing()
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; sandbox")
	w.Header().Set("Cache-Control", "max-age=2592000, stale-while-revalidate=86400")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	kind := http.DetectContentType(content)
	w.Header().Set("Content-Type", kind)
	if !strings.HasPrefix(kind, "image/") || r.query["download"] != "" {
		w.Header().Set("Content-Disposition", `attachment; filename="`+parts[2]+`"`)
	}
	http.ServeContent(w, from, parts[2], time.Time{}, bytes.NewReader(content))
	return nil
}

// fileToken answers POST /api/files/token.
func (r *request) fileToken() (any, error) {
	if r.owner {
		return map[string]any{"token": r.state.sign(row{}, claims{Type: tokenFile, Owner: true}, fileTokenTime)}, nil
	}
	if r.auth.record == nil {
		return nil, refusal(http.StatusUnauthorized, "The request requires valid record authorization token.")
	}
	return map[string]any{"token": r.state.sign(r.auth, claims{Type: tokenFile}, fileTokenTime)}, nil
}
