package tailwindclass_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/tailwindclass"
)

func TestWriteInTheDialectOfTheProject(t *testing.T) {
	three := tailwindclass.Dialect{Three: true}
	hyphen := tailwindclass.Dialect{Three: true, Prefix: "tw-"}
	four := tailwindclass.Dialect{Prefix: "tw"}
	under := tailwindclass.Dialect{Three: true, Separator: "_"}
	for _, c := range []struct {
		dialect                                 tailwindclass.Dialect
		classes, variant, property, value, want string
	}{
		{three, "!mt-4 flex", "", "margin-top", "0px", "!mt-0 flex"},
		{three, "hover:!p-4", "hover", "padding", "2rem", "hover:!p-[2rem]"},
		{three, "-ml-2", "", "margin-left", "calc(var(--spacing) * -4)", "-ml-4"},

		{hyphen, "tw-p-4 hover:tw-text-red-500 -tw-ml-2", "", "padding", "2rem", "tw-p-[2rem] hover:tw-text-red-500 -tw-ml-2"},
		{hyphen, "tw-p-4 hover:tw-text-red-500 -tw-ml-2", "", "margin-left", "1rem", "tw-p-4 hover:tw-text-red-500 tw-ml-[1rem]"},
		{hyphen, "tw-ml-2", "", "margin-left", "calc(var(--spacing) * -3)", "-tw-ml-3"},
		{hyphen, "tw-p-4 hover:tw-text-red-500", "hover", "color", "var(--color-blue-500)", "tw-p-4 hover:tw-text-blue-500"},
		{hyphen, "md:!tw-p-4", "md", "padding", "0", "md:!tw-p-0"},
		{hyphen, "p-4 btn", "", "padding", "0", "p-4 btn tw-p-0"},
		{hyphen, "[writing-mode:vertical-lr]", "", "writing-mode", "vertical-rl", "[writing-mode:vertical-rl]"},
		{hyphen, "tw-p-4 tw-flex", "", "padding", "", "tw-flex"},

		{four, "tw:p-4 tw:hover:p-2 p-1", "", "padding", "2rem", "tw:p-[2rem] tw:hover:p-2 p-1"},
		{four, "tw:p-4 tw:hover:p-2", "hover", "padding", "0", "tw:p-4 tw:hover:p-0"},
		{four, "tw:-ml-2!", "", "margin-left", "1rem", "tw:ml-[1rem]!"},
		{four, "tw:[writing-mode:vertical-lr]", "", "writing-mode", "vertical-rl", "tw:[writing-mode:vertical-rl]"},

		{under, "md_hover_p-4 p-1", "md:hover", "padding", "0", "md_hover_p-0 p-1"},
		{under, "bg-[url(a_b)] hover_p-1", "hover", "padding", "0", "bg-[url(a_b)] hover_p-0"},
	} {
		change := tailwindclass.Change{Variant: c.variant, Property: c.property, Value: c.value, Dialect: c.dialect}
		got, ok := tailwindclass.Write(c.classes, change)
		if !ok || got != c.want {
			t.Errorf("%s: %s of %q in %+v: got %q, %v, want %q", c.value, c.property, c.classes, c.dialect, got, ok, c.want)
		}
		if again, ok := tailwindclass.Write(got, change); !ok || again != got {
			t.Errorf("again: got %q, want %q", again, got)
		}
	}
}
