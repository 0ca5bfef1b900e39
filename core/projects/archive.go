package projects

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// Limits of an archive's contents.
const (
	maxArchiveFiles  = 50_000
	maxUnpackedBytes = 512 << 20
	// maxRatio is how many times its size an archive may unpack to, if that is more
	// than freeBytes. Sources shrink to a tenth.
	maxRatio  = 100
	freeBytes = 16 << 20
	// maxDirectoryBytes bounds the archive's own directory, which is held in memory as
	// a whole. maxEntries bounds its entries, which include those that are left out.
	maxDirectoryBytes = 32 << 20
	maxEntries        = 4 * maxArchiveFiles
)

// archiveFile is a file of an archive and its path in the project.
type archiveFile struct {
	path core.ProjectPath
	file *zip.File
	// raised and links rewrite the file, if it comes from elsewhere and has to.
	raised *climb
	links  *links
}

// archiveContents are the accepted files of an archive, checked by their names and
// headers, sorted by path.
type archiveContents []archiveFile

// readArchive checks every entry of an archive. maxFileBytes bounds each file.
func readArchive(archive Archive, maxFileBytes int64) (*selection, error) {
	if archive.Size > MaxArchiveBytes {
		return nil, core.Errorf(core.CodePayloadTooLarge, "the archive has more than %d bytes", MaxArchiveBytes)
	}
	budget := &budgetReader{ReaderAt: archive.ReaderAt, left: maxDirectoryBytes}
	reader, err := zip.NewReader(budget, archive.Size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		var known *core.Error
		if errors.As(err, &known) {
			return nil, known
		}
		return nil, core.Wrap(core.CodeValidationFailed, err, "the file is not a zip archive")
	}
	budget.left = -1
	withData := reader.Comment == exportWithDataComment
	isOwn := reader.Comment == exportComment || withData
	chosen := &selection{maxFileBytes: maxFileBytes, names: names{}, isOwn: isOwn, withData: withData}
	for _, entry := range reader.File {
		if err := chosen.add(entry); err != nil {
			return nil, err
		}
	}
	if err := chosen.follow(); err != nil {
		return nil, err
	}
	if !isOwn {
		chosen.dropSpellings()
	}
	if err := chosen.check(archive.Size); err != nil {
		return nil, err
	}
	if !isOwn {
		if err := chosen.files.takeOffFolder(); err != nil {
			return nil, err
		}
		if chosen.files, chosen.arranged, err = chosen.files.arrive(); err != nil {
			return nil, err
		}
	}
	chosen.files = sorted(chosen.files)
	return chosen, nil
}

// sorted returns the files in the order of their paths.
func sorted(files archiveContents) archiveContents {
	return slices.SortedFunc(slices.Values(files), func(a, b archiveFile) int { return cmp.Compare(a.path.String(), b.path.String()) })
}

// budgetReader refuses to read more than a number of bytes, and more than maxEntries
// entries of a directory; a negative budget means no limit.
type budgetReader struct {
	io.ReaderAt
	left    int64
	entries int
}

// entryMark begins every entry of a directory.
var entryMark = []byte("PK\x01\x02")

// ReadAt implements io.ReaderAt.
func (b *budgetReader) ReadAt(p []byte, at int64) (int, error) {
	if b.left >= 0 {
		if b.left -= int64(len(p)); b.left < 0 {
			b.left = 0
			return 0, core.Errorf(core.CodeValidationFailed, "the archive has too many entries")
		}
	}
	n, err := b.ReaderAt.ReadAt(p, at)
	if b.left >= 0 {
		if b.entries += bytes.Count(p[:n], entryMark); b.entries > maxEntries {
			return 0, core.Errorf(core.CodeValidationFailed, "the archive has too many entries")
		}
	}
	return n, err
}

// selection collects the accepted files of an archive.
type selection struct {
	maxFileBytes int64
	files        archiveContents
	names        names
	total        int64
	// isOwn says that Export made the archive: all of its files belong to the project.
	isOwn bool
	// withData says that it also has data, which are no files of the project.
	withData bool
	// hasRepository says that a repository was left out.
	hasRepository bool
	// links wait for follow, which needs all files.
	links   []archiveFile
	omitted core.Omissions
	// arranged says how the files were arranged, and what the project lacks.
	arranged []core.Phrase
}

// add checks an entry, and takes it unless it is left out.
func (s *selection) add(entry *zip.File) error {
	name := nameOf(entry)
	path, err := pathOf(name)
	if core.IsCode(err, core.CodePathTraversal) {
		return refuse(entry, err)
	}
	if !s.isOwn && isLeftOut(name) || s.withData && strings.HasPrefix(name, dataPrefix) {
		return nil
	}
	segments := strings.Split(name, "/")
	if slices.Contains(segments, ".git") {
		s.hasRepository = true
		return nil
	}
	// No tool writes other spellings of that name.
	if slices.ContainsFunc(segments, core.FoldsToGit) {
		return refuse(entry, err)
	}
	kind := entry.ExternalAttrs >> 16 & unixTypes
	isFolder := kind != unixLink && (strings.HasSuffix(name, "/") || entry.Mode().IsDir())
	if err != nil {
		if !isFolder {
			s.omitted.Names = append(s.omitted.Names, name)
		}
		return nil
	}
	if err := checkPacking(entry); err != nil {
		return refuse(entry, err)
	}
	if err := s.names.claim(path, isFolder); err != nil || isFolder {
		return refuse(entry, err)
	}
	switch kind {
	case 0, unixFile, unixFolder:
		return refuse(entry, s.take(path, entry))
	case unixLink:
		s.links = append(s.links, archiveFile{path: path, file: entry})
	default:
		s.omitted.Devices = append(s.omitted.Devices, path.String())
	}
	return nil
}

// follow puts the files that links lead to in their places, and leaves out the other links.
func (s *selection) follow() error {
	files, targets := map[string]*zip.File{}, map[string]string{}
	if len(s.links) == 0 {
		return nil
	}
	for _, file := range s.files {
		files[file.path.String()] = file.file
	}
	for _, link := range s.links {
		to, err := link.target()
		if err != nil {
			return err
		}
		targets[link.path.String()] = to
	}
	for _, link := range s.links {
		at := link.path.String()
		for range core.MaxLinkSteps {
			if to, isLink := targets[at]; isLink {
				at = to
			}
		}
		if files[at] == nil {
			s.omitted.Links = append(s.omitted.Links, link.path.String())
			continue
		}
		if err := s.take(link.path, files[at]); err != nil {
			return refuse(link.file, err)
		}
		s.omitted.Copies = append(s.omitted.Copies, link.path.String())
	}
	return nil
}

// take adds a file with a valid name and kind.
func (s *selection) take(path core.ProjectPath, entry *zip.File) error {
	if entry.UncompressedSize64 > uint64(s.maxFileBytes) {
		s.omitted.Large = append(s.omitted.Large, path.String())
		return nil
	}
	s.total += int64(entry.UncompressedSize64)
	if s.total > maxUnpackedBytes {
		return core.Errorf(core.CodeValidationFailed, "with this entry the archive unpacks to more than %d bytes", maxUnpackedBytes)
	}
	if len(s.files) == maxArchiveFiles {
		return core.Errorf(core.CodeValidationFailed, "with this entry the archive has more than %d files", maxArchiveFiles)
	}
	s.files = append(s.files, archiveFile{path: path, file: entry})
	return nil
}

// check checks the archive as a whole.
func (s *selection) check(size int64) error {
	if len(s.files) == 0 && !s.isOwn {
		return core.Errorf(core.CodeValidationFailed, "the archive holds no files that a project can hold")
	}
	if s.total > freeBytes && s.total > maxRatio*size {
		return core.Errorf(core.CodeValidationFailed, "the archive unpacks to more than %d times its size", maxRatio)
	}
	return nil
}

// refuse returns an error that names the refused entry, nil for nil.
func refuse(entry *zip.File, cause error) error {
	var known *core.Error
	if !errors.As(cause, &known) {
		return cause
	}
	return core.Wrap(known.Code, known.Cause, "entry %.200q: %s", entry.Name, known.Message)
}

// The types of files in the upper half of an entry's attributes, as Unix has them.
const (
	unixTypes  = 0xf000
	unixFile   = 0x8000
	unixFolder = 0x4000
	unixLink   = 0xa000
)

// checkPacking refuses entries that cannot be unpacked.
func checkPacking(entry *zip.File) error {
	const encrypted = 1
	if entry.Flags&encrypted != 0 {
		return core.Errorf(core.CodeValidationFailed, "it is encrypted")
	}
	if entry.Method != zip.Store && entry.Method != zip.Deflate {
		return core.Errorf(core.CodeValidationFailed, "it is not compressed with Deflate")
	}
	return nil
}

// takeOffFolder removes the folder that holds all files, if there is one, from the
// paths.
func (c archiveContents) takeOffFolder() error {
	folder, _, isBelow := strings.Cut(c[0].path.String(), "/")
	for _, file := range c {
		isBelow = isBelow && strings.HasPrefix(file.path.String(), folder+"/")
	}
	if !isBelow {
		return nil
	}
	for i := range c {
		path, err := core.ParsePath(c[i].path.String()[len(folder)+1:])
		if err != nil {
			return refuse(c[i].file, err)
		}
		c[i].path = path
	}
	return nil
}

// source is a files.Source. It returns core.CodeValidationFailed if a file's content
// does not match its header.
func (c archiveContents) source(ctx context.Context, add func(core.ProjectPath, []byte) error) error {
	for _, file := range c {
		if err := ctx.Err(); err != nil {
			return err
		}
		content, err := file.content()
		if err != nil {
			return refuse(file.file, err)
		}
		if err := add(file.path, content); err != nil {
			return err
		}
	}
	return nil
}

// content unpacks a file, and rewrites it where it has to be.
func (f *archiveFile) content() ([]byte, error) {
	content, err := unpack(f.file)
	if err != nil {
		return nil, err
	}
	if len(content) > maxSourceBytes || !utf8.Valid(content) {
		return content, nil
	}
	written := content
	if f.raised != nil {
		written = f.raised.rewrite(f.path.String(), written)
	}
	if f.links != nil {
		written = f.links.rewrite(written)
	}
	// Paths that lead out are few, unless somebody wants the disk to fill.
	if len(written) > 2*len(content)+maxGrownBytes {
		return content, nil
	}
	return written, nil
}

// maxGrownBytes is how much a small file may grow when its paths are rewritten.
const maxGrownBytes = 4 << 10

// read unpacks a file to look into its text; a larger one than limit counts as empty.
func (f *archiveFile) read(limit uint64) ([]byte, error) {
	if f.file.UncompressedSize64 > limit {
		return nil, nil
	}
	content, err := unpack(f.file)
	if err != nil {
		return nil, refuse(f.file, err)
	}
	return core.WithoutMark(content), nil
}

// target is the path to which a link leads, "" if that is nowhere in the archive.
func (f *archiveFile) target() (string, error) {
	text, err := f.read(core.MaxPathBytes)
	if err != nil || path.IsAbs(string(text)) {
		return "", err
	}
	to, err := core.ComposePath(path.Join(path.Dir(f.path.String()), string(text)))
	if err != nil {
		return "", nil //nolint:nilerr // It leads to a path that no file has.
	}
	return to.String(), nil
}

// unpack reads a file up to the size that take has checked.
func unpack(entry *zip.File) ([]byte, error) {
	reader, err := entry.Open()
	if err != nil {
		return nil, broken(err)
	}
	defer reader.Close()
	content := make([]byte, entry.UncompressedSize64)
	if _, err := io.ReadFull(reader, content); err != nil {
		return nil, broken(err)
	}
	// Reading the end verifies the checksum.
	if _, err := io.ReadFull(reader, make([]byte, 1)); err != io.EOF {
		return nil, broken(err)
	}
	return content, nil
}

func broken(cause error) error {
	return core.Wrap(core.CodeValidationFailed, cause, "its content is damaged")
}
