package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/pktline"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// maxReportBytes bounds a server's report on a push.
const maxReportBytes = 1 << 20

// Push implements vcs.Remotes.
func (r *Remotes) Push(ctx context.Context, project core.ID, source vcs.Source, move vcs.Arrival) error {
	repo, err := r.repositories.open(ctx, project)
	if err != nil {
		return err
	}
	remote, err := r.remote(ctx, source.Address)
	if err != nil {
		return err
	}
	refs, err := remote.refs(vcs.ServiceReceive)
	if err == nil {
		err = refs.checkFormat()
	}
	if err != nil {
		return remote.fault(err)
	}
	ref := branchPrefix + refs.branch(source.Branch)
	switch nameOf(refs.named[ref]) {
	case move.To:
		return nil
	case move.From:
	default:
		return fetchFirst()
	}
	graph, err := repo.history.graph(ctx)
	if err != nil {
		return durable.Fault(err, "repository")
	}
	up := &upload{objects: repo.objects, ctx: ctx, graph: graph, asked: &fetchRequest{wants: []plumbing.Hash{plumbing.NewHash(move.To)}, shallow: map[plumbing.Hash]bool{}}}
	up.reach()
	if move.From != "" {
		if up.common = []plumbing.Hash{plumbing.NewHash(move.From)}; !up.wanted[up.common[0]] {
			return core.Errorf(core.CodeConflict, "non-fast-forward: versions cannot be removed")
		}
	}
	return remote.fault(remote.push(up, ref, move))
}

// push sends one change of a branch, with the objects that the server lacks. It writes the pack
// to a file first, because some servers want to know its length.
func (r *remoteRepository) push(up *upload, ref string, move vcs.Arrival) error {
	file, err := os.CreateTemp("", "atelier-push-")
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the push cannot be stored")
	}
	defer func() { _ = file.Close() }()
	if err := os.Remove(file.Name()); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the push cannot be stored")
	}
	if err := writePush(file, up, ref, move); err != nil {
		return durable.Fault(err, "repository")
	}
	size, err := file.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the push cannot be stored")
	}
	response, err := r.doSized(http.MethodPost, r.base.String()+"/git-receive-pack", file, size, "Content-Type", "application/x-git-receive-pack-request")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if err := checkRemoteAnswer(response, "application/x-git-receive-pack-result"); err != nil {
		return err
	}
	return readReport(io.LimitReader(response.Body, maxReportBytes), ref)
}

// writePush writes the command and the pack.
func writePush(to io.Writer, up *upload, ref string, move vcs.Arrival) error {
	from := plumbing.ZeroHash
	if move.From != "" {
		from = plumbing.NewHash(move.From)
	}
	out := bufio.NewWriterSize(to, 1<<16)
	w := &packWriter{upload: up, seen: map[plumbing.Hash]bool{}}
	if err := errors.Join(pktline.WriteLine(out, "%s %s %s\x00report-status agent=atelier", from, move.To, ref), pktline.WriteFlush(out), w.list()); err != nil {
		return err
	}
	if err := w.write(out); err != nil {
		return err
	}
	return out.Flush()
}

// readReport reads what became of a push (git's report-status).
func readReport(from io.Reader, ref string) error {
	in := bufio.NewReader(from)
	for {
		line, err := pktline.ReadLine(in)
		if err != nil {
			return badRemote(err)
		}
		text := string(line)
		reason, refused := strings.CutPrefix(text, "ng "+ref+" ")
		switch {
		case pktline.IsFlush(line):
			return core.Errorf(core.CodeValidationFailed, "the server's answer to the push does not name the branch")
		case text == "ok "+ref:
			return nil
		case refused && isOvertaken(reason):
			return fetchFirst()
		case refused:
			return core.Wrap(core.CodeValidationFailed, vcs.ErrRejected, "the server does not take the push: %.200q", reason)
		case strings.HasPrefix(text, "unpack ") && text != "unpack ok":
			return core.Wrap(core.CodeValidationFailed, vcs.ErrRejected, "the server cannot take the push: %.200q", text[len("unpack "):])
		}
	}
}

// isOvertaken reports whether a reason says that somebody else has pushed at the same time.
func isOvertaken(reason string) bool {
	for _, known := range []string{"fetch first", "non-fast-forward", "stale info", "failed to update ref", "cannot lock ref", "failed to lock"} {
		if strings.Contains(reason, known) {
			return true
		}
	}
	return false
}
