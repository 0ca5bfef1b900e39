package npm

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
)

// dist is the origin and the digest of an archive.
type dist struct {
	Tarball   string `json:"tarball"`
	Integrity string `json:"integrity"`
}

// rewrite turns a packument into the body of a document and the list of its archives. It
// leaves out versions that cannot be installed.
func rewrite(name string, text []byte) (body, dists []byte, err error) {
	var fields map[string]json.RawMessage
	var known packument
	if err := errors.Join(json.Unmarshal(text, &fields), json.Unmarshal(text, &known)); err != nil {
		return nil, nil, err
	}
	if fields == nil {
		return nil, nil, errors.New("the registry has no description of " + name)
	}
	place := rand.Text()
	list := make(map[string]dist, len(known.Versions))
	for version, raw := range known.Versions {
		found, ok := known.manifest(name, version)
		integrity, err := integrityOf(&found)
		if err == nil {
			raw, err = withTarball(raw, place+"/"+name+"/-/"+baseName(name)+"-"+version+".tgz")
		}
		if !ok || err != nil {
			delete(known.Versions, version)
			continue
		}
		known.Versions[version], list[version] = raw, dist{found.Dist.Tarball, integrity}
	}
	if fields["versions"], err = json.Marshal(known.Versions); err != nil {
		return nil, nil, err
	}
	if body, err = json.Marshal(fields); err != nil {
		return nil, nil, err
	}
	dists, err = json.Marshal(list)
	return bytes.ReplaceAll(body, []byte(place), []byte("\n")), dists, err
}

// withTarball returns a manifest with another address of its archive.
func withTarball(manifest json.RawMessage, address string) (json.RawMessage, error) {
	var fields, dist map[string]json.RawMessage
	err := json.Unmarshal(manifest, &fields)
	if err == nil {
		err = json.Unmarshal(fields["dist"], &dist)
	}
	if err == nil && dist == nil {
		err = errors.New("the version has no archive")
	}
	if err == nil {
		dist["tarball"], err = json.Marshal(address)
	}
	if err == nil {
		fields["dist"], err = json.Marshal(dist)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// copyWithAddress copies a document and replaces its line breaks with the address.
func copyWithAddress(w io.Writer, content *document, address string) error {
	for {
		part, err := content.ReadSlice('\n')
		part, isEnd := bytes.CutSuffix(part, []byte("\n"))
		if _, err := w.Write(part); err != nil {
			return err
		}
		if isEnd {
			if _, err := io.WriteString(w, address); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
