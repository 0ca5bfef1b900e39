package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/pktline"
	"github.com/atelierhq/atelier/adapters/git/quarantine"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/vcs"
)

var _ vcs.Remotes = (*Remotes)(nil)

const (
	// maxRedirects bounds the redirects of a server's first answer.
	maxRedirects = 5
	// maxRefBytes bounds a server's list of refs.
	maxRefBytes = 16 << 20
	// clientName is the service's User-Agent. Servers recognize git clients by its
	// beginning.
	clientName = "git/2 (atelier)"
	// branchPrefix begins the full names of branches.
	branchPrefix = "refs/heads/"
)

// Remotes is a vcs.Remotes over HTTP.
type Remotes struct {
	repositories *Repositories
	guard        netguard.Guard
	plainHTTP    bool
}

// PlainHTTP says that remotes may be reached over plain HTTP.
type PlainHTTP bool

// NewRemotes returns remotes that are reached through the guard, over HTTPS alone unless
// plainHTTP is true.
func NewRemotes(repositories *Repositories, guard netguard.Guard, plainHTTP PlainHTTP) *Remotes {
	return &Remotes{repositories, guard, bool(plainHTTP)}
}

// Fetch implements vcs.Remotes.
func (r *Remotes) Fetch(ctx context.Context, project core.ID, source vcs.Source, limits vcs.Limits) (vcs.FetchedBranch, error) {
	repo, err := r.repositories.open(ctx, project)
	if err != nil {
		return nil, err
	}
	remote, err := r.remote(ctx, source.Address)
	if err != nil {
		return nil, err
	}
	refs, err := remote.refs(vcs.ServiceUpload)
	if err == nil {
		err = refs.choose(source.Branch)
	}
	if err != nil {
		return nil, remote.fault(err)
	}
	q, err := quarantine.Open(repo.dir, repo.objects, limits)
	if err != nil {
		return nil, durable.Fault(err, "repository")
	}
	if err := remote.fetch(refs, nil, q); err != nil {
		return nil, errors.Join(remote.fault(err), q.Close())
	}
	fetched := &fetchedBranch{Quarantine: q, tip: refs.newest}
	if err := fetched.check(ctx); err != nil {
		return nil, errors.Join(remote.fault(err), q.Close())
	}
	return fetched, nil
}

// remoteRepository is one repository on another server.
type remoteRepository struct {
	*Remotes
	ctx  context.Context
	base *url.URL
	user *url.Userinfo
}

// remote parses an address. Credentials go into a header and nowhere else.
func (r *Remotes) remote(ctx context.Context, address string) (*remoteRepository, error) {
	base, err := url.Parse(address)
	if err != nil {
		// The parser's error quotes the address, including credentials.
		return nil, core.Errorf(core.CodeValidationFailed, "the address is not a URL")
	}
	user := base.User
	base.User = nil
	base.Path = strings.TrimSuffix(base.Path, "/")
	if base.RawQuery != "" || base.ForceQuery || base.Fragment != "" || base.RawPath != "" {
		return nil, core.Errorf(core.CodeValidationFailed, "the address must be that of a repository alone, without a query, a fragment or escapes")
	}
	found := &remoteRepository{Remotes: r, ctx: ctx, base: base, user: user}
	return found, found.check(base)
}

// check validates an address before it is called.
func (r *remoteRepository) check(address *url.URL) error {
	if address.Scheme != "https" && !(address.Scheme == "http" && r.plainHTTP) {
		return core.Errorf(core.CodeValidationFailed, "the address must begin with https://")
	}
	return r.guard.Check(address.String())
}

// do sends a request. It sends credentials only to the host that they were given for.
func (r *remoteRepository) do(method, address string, body io.Reader, header ...string) (*http.Response, error) {
	return r.doSized(method, address, body, 0, header...)
}

// doSized is do for a body whose size net/http does not know; 0 leaves it to net/http.
func (r *remoteRepository) doSized(method, address string, body io.Reader, size int64, header ...string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(r.ctx, method, address, body)
	if err != nil {
		return nil, core.Errorf(core.CodeValidationFailed, "the address is not a URL")
	}
	if size > 0 {
		request.ContentLength = size
	}
	request.Header.Set("User-Agent", clientName)
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	if r.user != nil {
		password, _ := r.user.Password()
		request.SetBasicAuth(r.user.Username(), password)
	}
	return r.guard.Client().Do(request)
}

// remoteRefs is what a server announces before it sends anything.
type remoteRefs struct {
	newest       plumbing.Hash
	capabilities map[string]bool
	// named are HEAD and the branches, by their full names.
	named map[string]plumbing.Hash
}

// refs asks a service for the refs, and follows redirects.
func (r *remoteRepository) refs(service vcs.Service) (*remoteRefs, error) {
	for range maxRedirects {
		response, err := r.do(http.MethodGet, r.base.String()+"/info/refs?service="+string(service), nil)
		if err != nil {
			return nil, err
		}
		moved, err := r.redirected(response)
		if err == nil && !moved {
			refs, err := readRefs(response, service)
			return refs, errors.Join(err, response.Body.Close())
		}
		_ = response.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	return nil, core.Errorf(core.CodeValidationFailed, "the server redirects more than %d times", maxRedirects)
}

// redirected follows a redirect. It must lead to the refs of a repository.
func (r *remoteRepository) redirected(response *http.Response) (bool, error) {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return false, nil
	}
	target, err := response.Location()
	if err != nil {
		return false, core.Errorf(core.CodeValidationFailed, "the server sent a redirect without a target")
	}
	path, isRefs := strings.CutSuffix(target.Path, "/info/refs")
	if !isRefs || target.RawPath != "" {
		return false, core.Errorf(core.CodeValidationFailed, "the server redirects to an address that is not a repository")
	}
	next := &url.URL{Scheme: target.Scheme, Host: target.Host, Path: path}
	if err := r.check(next); err != nil {
		return false, err
	}
	if next.Host != r.base.Host || next.Scheme != r.base.Scheme {
		r.user = nil
	}
	r.base = next
	return true, nil
}

// readRefs parses the answer with the refs.
func readRefs(response *http.Response, service vcs.Service) (*remoteRefs, error) {
	if err := checkRemoteAnswer(response, "application/x-"+string(service)+"-advertisement"); err != nil {
		return nil, err
	}
	in := bufio.NewReader(io.LimitReader(response.Body, maxRefBytes))
	found := &remoteRefs{capabilities: map[string]bool{}, named: map[string]plumbing.Hash{}}
	for first, flushes := true, 0; ; {
		line, err := pktline.ReadLine(in)
		if err != nil {
			return nil, badRemote(err)
		}
		text := string(line)
		switch {
		case pktline.IsFlush(line):
			if flushes++; flushes == 2 || !first {
				return found, nil
			}
			continue
		case strings.HasPrefix(text, "# "), strings.HasPrefix(text, "version "), strings.HasPrefix(text, "shallow "):
			continue
		case strings.HasPrefix(text, "ERR "):
			return nil, core.Errorf(core.CodeValidationFailed, "the server refused: %.200q", text[4:])
		}
		text, capabilities, _ := strings.Cut(text, "\x00")
		if first {
			for capability := range strings.FieldsSeq(capabilities) {
				found.capabilities[capability] = true
			}
		}
		first = false
		name, ref, _ := strings.Cut(text, " ")
		hash, err := asHash(name)
		if err != nil {
			return nil, badRemote(err)
		}
		if ref == "HEAD" || strings.HasPrefix(ref, branchPrefix) {
			found.named[ref] = hash
		}
	}
}

// candidates are the possible refs of a branch, the best first.
func candidates(branch *string) []string {
	if branch != nil {
		return []string{branchPrefix + *branch}
	}
	return []string{"HEAD", branchPrefix + "main", branchPrefix + "master"}
}

// checkFormat refuses a repository whose objects have other names.
func (r *remoteRefs) checkFormat() error {
	if r.capabilities["object-format=sha256"] {
		return core.Errorf(core.CodeValidationFailed, "the repository names its objects by SHA-256, not by SHA-1")
	}
	return nil
}

// choose picks the best of the refs that were found.
func (r *remoteRefs) choose(branch *string) error {
	if err := r.checkFormat(); err != nil {
		return err
	}
	for _, ref := range candidates(branch) {
		if hash := r.named[ref]; !hash.IsZero() {
			r.newest = hash
			return nil
		}
	}
	if branch != nil {
		return core.Wrap(core.CodeValidationFailed, vcs.ErrNoBranch, "the repository has no branch %q", *branch)
	}
	return core.Errorf(core.CodeValidationFailed, "the repository has no commits on a default branch")
}

// fetch asks for the branch with its whole history, except for that of the commits that the
// project has.
func (r *remoteRepository) fetch(refs *remoteRefs, haves []plumbing.Hash, q *quarantine.Quarantine) error {
	var asked strings.Builder
	capabilities := "agent=atelier"
	for _, capability := range []string{"side-band-64k", "ofs-delta", "no-progress"} {
		if refs.capabilities[capability] {
			capabilities += " " + capability
		}
	}
	if err := errors.Join(pktline.WriteLine(&asked, "want %s %s\n", refs.newest, capabilities), pktline.WriteFlush(&asked)); err != nil {
		return err
	}
	for _, have := range haves {
		if err := pktline.WriteLine(&asked, "have %s\n", have); err != nil {
			return err
		}
	}
	if err := pktline.WriteLine(&asked, "done\n"); err != nil {
		return err
	}
	response, err := r.do(http.MethodPost, r.base.String()+"/git-upload-pack", strings.NewReader(asked.String()), "Content-Type", "application/x-git-upload-pack-request")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if err := checkRemoteAnswer(response, "application/x-git-upload-pack-result"); err != nil {
		return err
	}
	in := bufio.NewReaderSize(response.Body, 1<<16)
	line, err := pktline.ReadLine(in)
	if err == nil && string(line) != "NAK" && (len(haves) == 0 || !strings.HasPrefix(string(line), "ACK ")) {
		err = core.Errorf(core.CodeValidationFailed, "the server answered with %.200q instead of the repository", line)
	}
	if err == nil {
		err = skipAcks(in)
	}
	if err != nil {
		return badRemote(err)
	}
	if refs.capabilities["side-band-64k"] {
		in = bufio.NewReaderSize(pktline.NewBandReader(in), 1<<16)
	}
	return q.Receive(r.ctx, in)
}

// skipAcks reads the other acknowledgments of commits: git sends one for each that builds on the
// first.
func skipAcks(in *bufio.Reader) error {
	for {
		next, err := in.Peek(8)
		if err != nil || string(next[4:]) != "ACK " {
			return nil //nolint:nilerr // What follows says what is wrong.
		}
		if _, err := pktline.ReadLine(in); err != nil {
			return err
		}
	}
}

// checkRemoteAnswer translates an HTTP status into an error about the address.
func checkRemoteAnswer(response *http.Response, kind string) error {
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return core.Wrap(core.CodeValidationFailed, vcs.ErrDenied, "the server refused the credentials, or the repository does not exist")
	case status == http.StatusNotFound:
		return core.Wrap(core.CodeValidationFailed, vcs.ErrDenied, "the repository does not exist")
	case status >= http.StatusInternalServerError || status == http.StatusTooManyRequests:
		return core.Errorf(core.CodeUnavailable, "the server failed with status %d", status)
	case status != http.StatusOK || response.Header.Get("Content-Type") != kind:
		return core.Errorf(core.CodeValidationFailed, "the server does not speak git's smart protocol at this address: it answered with status %d", status)
	}
	return nil
}

// badRemote returns the error for an answer that cannot be read.
func badRemote(err error) error {
	if errors.Is(err, io.EOF) {
		return core.Errorf(core.CodeValidationFailed, "the server's answer ended too early")
	}
	return err
}

// fault gives a failed call its code. Errors of the HTTP client hold addresses, so none
// is passed on.
func (r *remoteRepository) fault(err error) error {
	var known *core.Error
	switch {
	case err == nil:
		return nil
	case r.ctx.Err() != nil:
		return core.Errorf(core.CodeUnavailable, "the repository did not arrive in time")
	case !errors.As(err, &known):
		return core.Errorf(core.CodeUnavailable, "the server cannot be reached, or broke off")
	case known.Code == core.CodeInvalidRequest:
		return core.Errorf(core.CodeValidationFailed, "the server did not send a valid repository: %s", known.Message)
	}
	return known
}
