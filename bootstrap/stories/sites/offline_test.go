package sites_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/atelierhq/atelier/adapters/scaffold"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// offlineBinary names the binary to test in the environment of a process that has
// no network.
const offlineBinary = "ATELIER_TEST_OFFLINE_BINARY"

// TestTemplatesNeedNoNetworkAndNoNode runs itself again in a network namespace of
// its own, where there is nothing but a loopback, and with no program in its path.
func TestTemplatesNeedNoNetworkAndNoNode(t *testing.T) {
	if binary := os.Getenv(offlineBinary); binary != "" {
		playOffline(t, binary)
		return
	}
	again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=300s")
	again.Env = []string{"PATH=" + t.TempDir(), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), offlineBinary + "=" + process.Build(t)}
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		again.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		again.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		again.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	output, err := again.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "--- PASS: "+t.Name()) {
		t.Fatalf("without a network: %v\n%s", err, output)
	}
	t.Logf("%s", output)
}

func playOffline(t *testing.T, binary string) {
	raiseLoopback(t)
	if _, err := http.Get("https://registry.npmjs.org/react"); err == nil {
		t.Fatal("got an answer from the registry, want no network")
	}
	service := process.Start(t, binary)
	person := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp()
	create := func(t *testing.T, template string) *storytest.Work {
		own := *person
		own.Site = &storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}
		return own.Create(template)
	}
	for _, template := range scaffold.New().List() {
		if template.ID == "vite-react" {
			continue // its own tools run with Node
		}
		t.Run(template.ID, func(t *testing.T) {
			started := time.Now()
			w := create(t, template.ID)
			w.Must(http.StatusOK, http.MethodPost, w.Path("/preview"), nil, nil)
			preview := w.AwaitPreview("ready").URL
			t.Logf("from the wish for a project to its preview: %s", time.Since(started).Round(time.Millisecond))
			walk(w, preview)
			var published struct{ URL string }
			w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), map[string]string{}, &published)
			walk(w, published.URL)
		})
	}
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprintf(`"package-%d": "*"`, i)
	}
	for name, c := range map[string]struct{ dependencies, told string }{
		"a dependency that has to be fetched is named": {`"react": "^19.2.0", "react-dom": "^19.2.0", "lodash": "^4.17.0"`, "the package registry cannot be reached for lodash"},
		"too many dependencies are counted":            {strings.Join(many, ","), "there are 10000 dependencies"},
		"a dependency from elsewhere is refused":       {`"lodash": "git+https://github.com/lodash/lodash.git"`, "use a version from the package registry"},
	} {
		t.Run(name, func(t *testing.T) {
			w := create(t, "blank")
			manifest := `{"dependencies": {` + c.dependencies + `}}`
			if got := w.Do(http.MethodPut, w.Path("/files/package.json"), strings.NewReader(manifest)); got.Status >= 300 {
				t.Fatalf("put: got %d %s", got.Status, got.Body)
			}
			w.Do(http.MethodPost, w.Path("/preview"), nil)
			told := w.AwaitPreview("error").Diagnostics
			if len(told) != 1 || told[0].Path != "package.json" || !strings.Contains(told[0].Message, c.told) {
				t.Errorf("got %+v, want package.json to be told %q", told, c.told)
			}
		})
	}
}

// raiseLoopback brings up the only interface of a new network namespace.
func raiseLoopback(t *testing.T) {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(socket)
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{name: [syscall.IFNAMSIZ]byte{'l', 'o'}, flags: syscall.IFF_UP}
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); errno != 0 {
		t.Fatalf("the loopback cannot be brought up: %v", errno)
	}
}

// linkPattern matches the references of a page, a style sheet or a module.
var linkPattern = regexp.MustCompile(`(?:src|href)="([^"]+)"|(?:from|import)\s*\(?\s*["']([^"']+)["']|url\(["']?([^"')]+)`)

// walk fetches a page and all that it leads to on its own host.
func walk(w *storytest.Work, page string) {
	w.T.Helper()
	root, err := url.Parse(page + "/")
	if err != nil {
		w.T.Fatal(err)
	}
	seen, queue := map[string]bool{root.String(): true}, []*url.URL{root}
	for ; len(queue) > 0; queue = queue[1:] {
		got := w.Fetch(queue[0].String())
		if got.Status != http.StatusOK || len(got.Body) == 0 {
			w.T.Fatalf("%s: got %d %.300s, want content", queue[0], got.Status, got.Body)
		}
		for _, found := range linkPattern.FindAllSubmatch(got.Body, -1) {
			link, err := queue[0].Parse(string(found[1]) + string(found[2]) + string(found[3]))
			if err != nil || link.Host != root.Host || !followed(string(found[1])+string(found[2])+string(found[3])) {
				continue
			}
			if link.Fragment = ""; !seen[link.String()] {
				seen[link.String()] = true
				queue = append(queue, link)
			}
		}
	}
	w.T.Logf("%s: %d files", page, len(seen))
}

// followed reports whether a link is an address and no bare name.
func followed(link string) bool {
	return strings.HasPrefix(link, "/") || strings.HasPrefix(link, "./") || strings.HasPrefix(link, "../")
}
