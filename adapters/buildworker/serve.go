package buildworker

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/markup"
)

// Command is the argument in Config.Command that makes a program call Run.
const Command = "build-worker"

// Tools are the implementations with which a worker works.
type Tools struct {
	Builder build.Builder
	Checker build.SyntaxChecker
	Patcher markup.Patcher
}

// Run is the main function of a worker. It limits itself, gives up rights that it does not need,
// opens its tools, and serves calls until the service closes its connection. It ends the process when a call has used up its processor time.
func Run(open func() (Tools, error)) error {
	conn, err := workerprocess.Connection(0)
	if err != nil {
		return err
	}
	endWhenOverdue()
	if err := limits.Apply(); err != nil {
		return err
	}
	tools, err := open()
	if err != nil {
		return err
	}
	return Serve(conn, tools)
}

// Serve carries out the calls that arrive over conn, one at a time, until conn is closed. A running
// call then goes on although nobody waits for it, so the process should end.
func Serve(conn net.Conn, tools Tools) error {
	s := &server{link: newLink(conn), tools: tools, replies: make(chan reply), fingerprints: newFingerprintCache(), releaser: newMemoryReleaser(freeMemory)}
	for {
		// The service is trusted, so its frames have no bound.
		kind, body, err := s.link.receive(1 << 32)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch kind {
		case frameCall:
			if err := s.begin(body); err != nil {
				return err
			}
		case frameCancel:
			s.cancel()
		default:
			s.replies <- reply{kind, body}
		}
	}
}

// server is the worker's side of a connection.
type server struct {
	link         *link
	tools        Tools
	replies      chan reply
	fingerprints *fingerprintCache
	// cancel ends the most recent call.
	cancel   context.CancelFunc
	releaser *memoryReleaser
}

type reply struct {
	kind frameKind
	body []byte
}

// begin starts a call.
func (s *server) begin(body []byte) error {
	var asked call
	content, err := readHead(body, &asked)
	if err != nil {
		return err
	}
	s.releaser.begin()
	if err := limitCPU(asked.CPU); err != nil {
		return err
	}
	if s.cancel != nil {
		s.cancel()
	}
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	go s.carry(ctx, asked, content)
	return nil
}

// carry carries out a call and sends its outcome. If sending fails the connection is broken, which
// Serve notices.
func (s *server) carry(ctx context.Context, asked call, content []byte) {
	defer s.releaser.end()
	out, err := s.do(ctx, asked, content)
	out.Failure, out.Heavy = failureOf(err), heavy()
	files := out.Result.Files
	contents, prints := make([][]byte, len(files)), []byte(nil)
	out.Result.Files = slices.Clone(files)
	for i := range files {
		contents[i], out.Result.Files[i].Content = files[i].Content, nil
		prints = s.fingerprints.of(contents[i]).appendTo(prints)
	}
	if err := s.link.sendHead(frameOutcome, out, prints); err != nil || len(files) == 0 {
		return
	}
	s.deliver(contents)
}

func (s *server) do(ctx context.Context, asked call, content []byte) (out outcome, err error) {
	switch asked.Kind {
	case callBuild:
		err = s.withFiles(content, func(files fs.FS) error {
			asked.Request.Files = files
			out.Result, err = s.tools.Builder.Build(ctx, asked.Request)
			return err
		})
	case callVite:
		err = s.withFiles(content, func(files fs.FS) error {
			out.Vite, err = s.tools.Builder.ViteConfig(ctx, files, asked.Request.Env)
			return err
		})
	case callCheck:
		out.Found, err = s.tools.Checker.Syntax(ctx, asked.Name, content)
	case callPatch:
		for i, dialect := range asked.Dialects {
			asked.Patches[i].Dialect = dialect
		}
		out.Edits, err = s.tools.Patcher.Patch(ctx, asked.Name, content, asked.Patches)
	case callTry:
		out.Open = attempts()
	default:
		err = core.Errorf(core.CodeInternal, "the build worker does not know the call %q", asked.Kind)
	}
	return out, err
}

// withFiles calls do with the project's files, which it asks the service for.
func (s *server) withFiles(ahead []byte, do func(fs.FS) error) error {
	files, err := newRemote(ahead, s.ask)
	if err != nil {
		return err
	}
	defer files.close()
	return do(files)
}

// ask asks the service and waits for the answer. Only one goroutine may call it at a time.
func (s *server) ask(kind frameKind, name string) ([]byte, error) {
	if err := s.link.send(kind, []byte(name)); err != nil {
		return nil, err
	}
	return s.reply(frameReply)
}

func (s *server) reply(kind frameKind) ([]byte, error) {
	got := <-s.replies
	if got.kind != kind {
		return nil, errProtocol
	}
	return got.body, nil
}

// deliver sends the contents that the service asks for.
func (s *server) deliver(contents [][]byte) {
	wanted, err := s.reply(frameWanted)
	if err != nil {
		return
	}
	var sending [][]byte
	for ; len(wanted) >= 4; wanted = wanted[4:] {
		sending = append(sending, contents[binary.BigEndian.Uint32(wanted)])
	}
	_ = s.link.send(frameContents, sending...)
}
