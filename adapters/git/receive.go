package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/git/pktline"
	"github.com/atelierhq/atelier/adapters/git/quarantine"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

const (
	// maxCommands bounds the refs that one push names.
	maxCommands = 1000
	// maxDrainedBytes is how much of a refused pack is read nevertheless: a client reads the
	// reason only after it has sent everything.
	maxDrainedBytes = 2 << 30
	// maxPointers bounds the pointers of Git LFS that a client reads about.
	maxPointers = 20
)

// command is one ref update of a push.
type command struct {
	from, to plumbing.Hash
	ref      string
}

// push is a vcs.Push.
type push struct {
	*quarantine.Quarantine
	commands []command
	sideBand bool
	reports  bool
	// main is the update that can be carried out, nil if none can.
	main *command
	// packErr is the fault of the pack; mainErr is why main cannot move.
	packErr, mainErr error
	// pointers are files that came as pointers of Git LFS.
	pointers []string
}

// Receive implements vcs.Wire.
func (w *Wire) Receive(ctx context.Context, project core.ID, from io.Reader, limits vcs.Limits) (vcs.Push, error) {
	repo, err := w.repositories.open(ctx, project)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(from, 1<<16)
	p := &push{}
	if err := p.readCommands(in); err != nil {
		return nil, err
	}
	if p.Quarantine, err = quarantine.Open(repo.dir, repo.objects, limits); err != nil {
		return nil, durable.Fault(err, "repository")
	}
	if p.mainErr = p.choose(); p.mainErr == nil {
		p.take(ctx, in)
	}
	if err := drain(ctx, in); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// take receives the pack and checks it.
func (p *push) take(ctx context.Context, in *bufio.Reader) {
	if err := p.Receive(ctx, in); err != nil {
		p.packErr = durable.Fault(err, "repository")
		p.mainErr = p.packErr
		return
	}
	p.mainErr = durable.Fault(p.check(ctx), "repository")
}

// drain reads what the client still sends.
func drain(ctx context.Context, in io.Reader) error {
	_, err := io.Copy(io.Discard, quarantine.WithContext(ctx, io.LimitReader(in, maxDrainedBytes)))
	return err
}

// readCommands reads the ref updates that precede the pack.
func (p *push) readCommands(in io.Reader) error {
	for {
		line, err := pktline.ReadLine(in)
		if errors.Is(err, io.EOF) && len(p.commands) == 0 || err == nil && pktline.IsFlush(line) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return pktline.BadRequest("it ends too early")
		}
		if err != nil {
			return err
		}
		text := string(line)
		if strings.HasPrefix(text, "shallow ") {
			continue
		}
		if len(p.commands) == maxCommands {
			return pktline.BadRequest("it names more than %d refs", maxCommands)
		}
		text, capabilities, _ := strings.Cut(text, "\x00")
		if len(p.commands) == 0 {
			for capability := range strings.FieldsSeq(capabilities) {
				p.sideBand = p.sideBand || capability == "side-band-64k"
				p.reports = p.reports || capability == "report-status"
			}
		}
		next, err := parseCommand(text)
		if err != nil {
			return err
		}
		p.commands = append(p.commands, next)
	}
}

func parseCommand(text string) (command, error) {
	from, rest, _ := strings.Cut(text, " ")
	to, ref, found := strings.Cut(rest, " ")
	if !found || ref == "" || strings.ContainsAny(ref, "\n\x00") {
		return command{}, pktline.BadRequest("%.80q is not a change of a ref", text)
	}
	before, err := asHash(from)
	if err != nil {
		return command{}, err
	}
	after, err := asHash(to)
	return command{before, after, ref}, err
}

// choose finds the update of main among the commands.
func (p *push) choose() error {
	for i, c := range p.commands {
		if c.ref != gitdir.MainRef || c.to.IsZero() {
			continue
		}
		if p.main != nil {
			return pktline.BadRequest("it changes main twice")
		}
		p.main = &p.commands[i]
	}
	if p.main == nil {
		return core.NotFound("change of main in the push")
	}
	return nil
}

// check checks the content of the pack, and whether main may move to its tip.
func (p *push) check(ctx context.Context) error {
	if _, err := p.Commit(p.main.to); err != nil {
		return err
	}
	if !p.main.from.IsZero() {
		if _, err := p.Commit(p.main.from); err != nil {
			return fetchFirst()
		}
	}
	forward, err := p.Follows(ctx, p.main.to, p.main.from)
	if err != nil {
		return err
	}
	if !forward {
		return core.Errorf(core.CodeConflict, "non-fast-forward: versions cannot be removed")
	}
	g, err := p.NewGate(ctx, p.main.from)
	if err != nil {
		return err
	}
	if err := g.CheckAll(); err != nil {
		return err
	}
	p.pointers, err = p.Pointers(ctx, p.main.to, maxPointers)
	return err
}

// Arrival implements vcs.Push.
func (p *push) Arrival() (vcs.Arrival, error) {
	if p.mainErr != nil {
		return vcs.Arrival{}, p.mainErr
	}
	return vcs.Arrival{From: nameOf(p.main.from), To: p.main.to.String()}, nil
}

// Report implements vcs.Push.
func (p *push) Report(to io.Writer, outcome error) error {
	out := bufio.NewWriterSize(to, 1<<16)
	if len(p.commands) == 0 || !p.reports {
		return out.Flush()
	}
	if !p.sideBand {
		return errors.Join(p.report(out, outcome), out.Flush())
	}
	if outcome == nil && len(p.pointers) > 0 {
		if err := p.warn(pktline.NewBandWriter(out, pktline.Progress, pktline.MaxBandBytes)); err != nil {
			return err
		}
	}
	band := bufio.NewWriterSize(pktline.NewBandWriter(out, pktline.Data, pktline.MaxBandBytes), pktline.MaxBandBytes)
	if err := errors.Join(p.report(band, outcome), band.Flush(), pktline.WriteFlush(out)); err != nil {
		return err
	}
	return out.Flush()
}

// warn names the files whose contents are on another server.
func (p *push) warn(to io.Writer) error {
	_, err := io.WriteString(to, "warning: the contents of these files are not here, only their pointers of Git LFS:\n  "+strings.Join(p.pointers, "\n  ")+
		"\nto push the contents: git lfs untrack the files, git add --renormalize ., commit and push\n")
	return err
}

// report writes the result of the pack and of each ref (git's report-status).
func (p *push) report(to io.Writer, outcome error) error {
	state := "ok"
	if p.packErr != nil {
		state = reasonOf(p.packErr)
	}
	if err := pktline.WriteLine(to, "unpack %s\n", state); err != nil {
		return err
	}
	for i := range p.commands {
		c := &p.commands[i]
		reason := "only the branch main can be pushed"
		switch {
		case c == p.main && outcome == nil:
			if err := pktline.WriteLine(to, "ok %s\n", c.ref); err != nil {
				return err
			}
			continue
		case c == p.main:
			reason = reasonOf(outcome)
		case c.ref == gitdir.MainRef:
			reason = "main cannot be deleted"
		}
		if err := pktline.WriteLine(to, "ng %s %s\n", c.ref, reason); err != nil {
			return err
		}
	}
	return pktline.WriteFlush(to)
}

// maxReasonBytes bounds a reason, which git prints in one line.
const maxReasonBytes = 500

// reasonOf returns what a client may read of an error, in one line.
func reasonOf(err error) string {
	var known *core.Error
	text := "the service failed: try again"
	if errors.As(err, &known) && known.Code != core.CodeInternal {
		text = known.Message
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return strings.ToValidUTF8(text[:min(len(text), maxReasonBytes)], "")
}
