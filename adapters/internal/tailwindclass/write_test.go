package tailwindclass_test

import (
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/tailwindclass"
)

// A want of "!" means that the value cannot be written.
func TestWrite(t *testing.T) {
	for _, c := range []struct{ classes, variant, property, value, want string }{
		{"", "", "padding", "calc(var(--spacing) * 4)", "p-4"},
		{"", "", "padding", "calc(var(--spacing) * 4.5)", "p-4.5"},
		{"", "", "padding", "calc(var(--spacing) * 4.1)", "p-[calc(var(--spacing)_*_4.1)]"},
		{"", "", "padding-top", "13px", "pt-[13px]"},
		{"", "", "padding-top", "0px", "pt-0"},
		{"", "", "margin-left", "calc(var(--spacing) * -2)", "-ml-2"},
		{"", "", "margin-left", "-7px", "ml-[-7px]"},
		{"", "", "margin-inline", "auto", "mx-auto"},
		{"", "", "width", "100%", "w-full"},
		{"", "", "max-width", "var(--container-md)", "max-w-md"},
		{"", "", "height", "33vh", "h-[33vh]"},
		{"", "", "color", "var(--color-amber-700)", "text-amber-700"},
		{"", "", "color", "#c02040", "text-[#c02040]"},
		{"", "", "background-color", "rgb(1 2 3 / 50%)", "bg-[rgb(1_2_3_/_50%)]"},
		{"", "", "border-color", "var(--color-border)", "border-border"},
		{"", "", "font-size", "var(--text-2xl)", "text-2xl"},
		{"", "", "font-size", "18px", "text-[18px]"},
		{"", "", "font-size", "clamp(1rem, 2vw, 3rem)", "text-[length:clamp(1rem,_2vw,_3rem)]"},
		{"", "", "font-weight", "600", "font-semibold"},
		{"", "", "font-weight", "450", "font-[weight:450]"},
		{"", "", "font-family", "var(--font-serif)", "font-serif"},
		{"", "", "font-family", `"Some Face", serif`, "font-[family-name:'Some_Face',_serif]"},
		{"", "", "border-radius", "calc(infinity * 1px)", "rounded-full"},
		{"", "", "border-radius", "9999px", "rounded-full"},
		{"", "", "border-radius", "0px", "rounded-none"},
		{"", "", "border-radius", "var(--radius-lg)", "rounded-lg"},
		{"", "", "border-width", "1px", "border"},
		{"", "", "border-width", "3px", "border-3"},
		{"", "", "border-width", "0.5rem", "border-[length:0.5rem]"},
		{"", "", "box-shadow", "var(--shadow-md)", "shadow-md"},
		{"", "", "box-shadow", "none", "shadow-none"},
		{"", "", "opacity", "0.55", "opacity-55"},
		{"", "", "display", "none", "hidden"},
		{"", "", "flex-direction", "column", "flex-col"},
		{"", "", "justify-content", "space-between", "justify-between"},
		{"", "", "grid-template-columns", "repeat(3, minmax(0, 1fr))", "grid-cols-3"},
		{"", "", "grid-template-columns", "1fr 2fr", "grid-cols-[1fr_2fr]"},
		{"", "", "writing-mode", "vertical-rl", "[writing-mode:vertical-rl]"},

		{"flex p-4 font-bold", "", "padding", "calc(var(--spacing) * 6)", "flex p-6 font-bold"},
		{"flex pt-4 pl-2 font-bold", "", "padding", "calc(var(--spacing) * 6)", "flex p-6 font-bold"},
		{"p-4", "", "padding-top", "calc(var(--spacing) * 6)", "p-4 pt-6"},
		{"px-4 pl-1", "", "padding-left", "calc(var(--spacing) * 6)", "px-4 pl-6"},
		{"bg-stone-800 hover:bg-stone-900 dark:bg-white", "", "background-color", "var(--color-amber-700)", "bg-amber-700 hover:bg-stone-900 dark:bg-white"},
		{"bg-stone-800 hover:bg-stone-900", "hover", "background-color", "var(--color-amber-700)", "bg-stone-800 hover:bg-amber-700"},
		{"hover:md:p-1", "md:hover", "padding", "0", "md:hover:p-0"},
		{"p-1", "md", "padding", "0", "p-1 md:p-0"},
		{"text-lg text-stone-500 text-center", "", "color", "var(--color-red-500)", "text-lg text-red-500 text-center"},
		{"text-lg text-stone-500 text-center", "", "font-size", "var(--text-xl)", "text-xl text-stone-500 text-center"},
		{"text-lg text-stone-500 text-center", "", "text-align", "left", "text-lg text-stone-500 text-left"},
		{"text-[#fff] text-[1.1rem] text-[length:2em]", "", "font-size", "18px", "text-[#fff] text-[18px]"},
		{"font-sans font-bold", "", "font-weight", "500", "font-sans font-medium"},
		{"border border-red-500 border-dashed", "", "border-color", "#000", "border border-[#000] border-dashed"},
		{"border border-red-500", "", "border-width", "2px", "border-2 border-red-500"},
		{"flex flex-col flex-1", "", "display", "grid", "grid flex-col flex-1"},
		{"flex flex-col flex-1", "", "flex-direction", "row", "flex flex-row flex-1"},
		{"rounded-t-lg rounded", "", "border-radius", "0", "rounded-none"},
		{"shadow-md shadow-red-500", "", "box-shadow", "var(--shadow-lg)", "shadow-lg shadow-red-500"},
		{"size-4", "", "width", "calc(var(--spacing) * 8)", "size-4 w-8"},
		{"bg-black/50 bg-cover", "", "background-color", "#fff", "bg-[#fff] bg-cover"},
		{"!p-4", "", "padding", "0", "p-0!"},
		{"md:p-4!", "md", "padding", "0", "md:p-0!"},
		{"-mt-2 a_b", "", "margin-top", "0", "mt-0 a_b"},
		{"[padding:3px] btn", "", "padding", "0", "p-0 btn"},
		{"\n  flex\n  p-4\n", "", "gap", "0", "\n  flex\n  p-4 gap-0\n"},
		{"flex p-4 px-2 mt-1", "", "padding", "", "flex mt-1"},
		{"p-4 flex", "", "padding", "", "flex"},
		{"flex", "", "padding", "", "flex"},
		{"p-4", "", "padding", "calc(var(--spacing) * 4)", "p-4"},
		{"", "", "background-image", `url("x")`, "!"},
		{"", "", "color", "red; top: 0", "!"},
		{"", "", "color", "re]d", "!"},
		{"", "", "color", "a>b", "!"},
	} {
		got, ok := tailwindclass.Write(c.classes, tailwindclass.Change{Variant: c.variant, Property: c.property, Value: c.value})
		if !ok {
			got = "!"
		}
		if got != c.want {
			t.Errorf("%q with %s %s: %s\ngot  %q\nwant %q", c.classes, c.variant, c.property, c.value, got, c.want)
		}
		if again, _ := tailwindclass.Write(got, tailwindclass.Change{Variant: c.variant, Property: c.property, Value: c.value}); ok && again != got {
			t.Errorf("%q with %s: %s: got %q the second time, want it as it is", got, c.property, c.value, again)
		}
	}
}

func TestIsVariant(t *testing.T) {
	for variant, want := range map[string]bool{"": true, "md": true, "dark:md:hover": true, "2xl": true, "a b": false, "md:": false, "[&>p]": false, "MD": false} {
		if got := tailwindclass.IsVariant(variant); got != want {
			t.Errorf("%q: got %t, want %t", variant, got, want)
		}
	}
}
