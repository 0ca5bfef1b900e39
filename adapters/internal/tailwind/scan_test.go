package tailwind_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

func scanned(name, text string) string {
	found := make(map[string]bool)
	tailwind.Scan(name, []byte(text), found)
	return strings.Join(tailwind.Sorted(found), " ")
}

func TestScanFindsClassNames(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.html", `<p class="flex p-2.5 w-1/2">`, "class flex p-2.5 w-1/2"},
		{"a.html", `<p class='hover:bg-red-500/50 -mt-px !block underline! from-10% @container *:p-1 **:m-2 2xl:p-8'>`,
			"!block **:m-2 *:p-1 -mt-px 2xl:p-8 @container class from-10% hover:bg-red-500/50 underline!"},
		{"a.tsx", "cn('grid-cols-[1fr_2fr]',on&&\"bg-[url('/a.png')]\",`size-${x}`,{hidden:a, 'italic':b})", "grid-cols-[1fr_2fr] /a.png bg-[url('/a.png')] italic"},
		{"a.tsx", "{ hidden: a, flex : b }", "b flex hidden"},
		{"a.tsx", `["p-1","m-1"]`, "m-1 p-1"},
		{"a.tsx", `<i className="[mask-type:luminance] [&>p]:mt-2 data-[state=open]:flex group-hover/item:p-1 bg-(--tint) shadow-[0_0_3px_rgb(0,0,0,0.5)]"/>`,
			"--tint [&>p]:mt-2 [mask-type:luminance] bg-(--tint) className data-[state=open]:flex group-hover/item:p-1 shadow-[0_0_3px_rgb(0,0,0,0.5)]"},
		{"a.tsx", "i-- - --j; var(--color-red-500) x--y", "--color-red-500 --j x--y"},
		{"a.vue", `<b :class="{ 'line-through': done }">`, "line-through :class"},
		{"a.svelte", `<b class:invisible={x}>`, "invisible"},
		{"a.pug", `.flex.p-4(class="m-1")`, "flex p-4 m-1"},
		{"a.js", `"\"block\" \ntext"`, `block`},
		{"a.js", "Flex A1 9 flex- p_ p. [x] [x y] grid-cols-[a b] x" + strings.Repeat("y", 600), "p b"},
	} {
		got := " " + scanned(c.name, c.text) + " "
		for _, want := range strings.Fields(c.want) {
			if strings.HasPrefix(want, ":") || want == "p" || want == "b" || want == "/a.png" {
				continue // may be there or not
			}
			if !strings.Contains(got, " "+want+" ") {
				t.Errorf("%s: got%s, want %q in it", c.text, got, want)
			}
		}
	}
}

func TestScanLeavesOutWhatIsNoClassName(t *testing.T) {
	for text, unwanted := range map[string]string{
		"styles.flex)":                 "flex",
		"foo(flex)":                    "flex",
		"hover:flex":                   "flex",
		"flex- ":                       "flex-",
		"Flex ":                        "Flex",
		"w-[calc(1px ":                 "w-[calc(1px",
		"x" + strings.Repeat("y", 600): "x" + strings.Repeat("y", 600),
	} {
		if got := " " + scanned("a.js", text) + " "; strings.Contains(got, " "+unwanted+" ") {
			t.Errorf("%.40s: got%.100s, want no %.40q", text, got, unwanted)
		}
	}
}

// A source of brackets alone must not take the square of its length.
func TestScanOfBracketsEnds(t *testing.T) {
	for _, piece := range []string{".[", ".a-[", "].a-[(", ".a-['", "}[[", ">-(["} {
		scanned("a.js", strings.Repeat(piece, 1<<20))
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{`<p class="flex [&_p]:m-1 bg-[url('a')] p-(--x)">`, "[", "a-['", "--", "class:x", "\\", "a-[\\"} {
		f.Add("a.svelte", seed)
		f.Add("a.pug", seed)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		found := make(map[string]bool)
		tailwind.Scan(name, []byte(text), found)
		for candidate := range found {
			if candidate == "" || len(candidate) > 512 || strings.ContainsAny(candidate, " \t\r\n\f\x00") {
				t.Errorf("got candidate %q, want 1 to 512 bytes without blanks", candidate)
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	text := []byte(strings.Repeat(`<div className={cn("flex flex-col gap-4 hover:bg-[#123456]/50", open && 'md:flex-row')}>{items.map((item) => <Item key={item.id} {...item} />)}</div>`+"\n", 700))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tailwind.Scan("a.tsx", text, make(map[string]bool))
	}
}
