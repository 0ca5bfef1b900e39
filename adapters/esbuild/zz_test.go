package esbuild_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/build"
)

func rss() string { b, _ := os.ReadFile("/proc/self/status"); for _, l := range strings.Split(string(b), "\n") { if strings.HasPrefix(l, "VmRSS") { return l } }; return "" }

func TestZZ(t *testing.T) {
	v3css := "@tailwind base;\n@tailwind components;\n@tailwind utilities;\n\n@layer base {\n  :root { --background: 0 0% 100%; --border: 214 31% 91%; --radius: 0.5rem; --primary: 222 47% 11% }\n  .dark { --background: 222 84% 4% }\n}\n@layer base { * { @apply border-border; } body { @apply bg-background; } }\n@layer components {\n  .btn { @apply px-4 py-2 rounded; }\n  .btn-primary { @apply btn bg-primary; }\n  .btn-primary:hover { @apply opacity-90; }\n .a .b { color: red }\n}\n@screen md { .x { color: red } }\n.y { color: theme('colors.gray.200'); }"
	v3cfg := "import type { Config } from 'tailwindcss'\nimport defaultTheme from 'tailwindcss/defaultTheme'\nconst path = require('path')\nexport default {\n darkMode: ['class'], content: ['./pages/**/*.{ts,tsx}', path.join(__dirname, 'src/**/*.{ts,tsx}')], safelist: ['rotate-12'],\n theme: { container: { center: true, padding: '2rem', screens: { '2xl': '1400px' } }, extend: { fontFamily: { sans: ['Inter', ...defaultTheme.fontFamily.sans] }, colors: { border: 'hsl(var(--border))', background: 'hsl(var(--background))', primary: { DEFAULT: 'hsl(var(--primary))', foreground: '#fff' } }, borderRadius: { lg: 'var(--radius)', md: 'calc(var(--radius) - 2px)', sm: 'calc(var(--radius) - 4px)' }, keyframes: { 'accordion-down': { from: { height: '0' }, to: { height: 'var(--h)' } } }, animation: { 'accordion-down': 'accordion-down 0.2s ease-out' } } },\n plugins: [require('tailwindcss-animate'), require('@tailwindcss/typography'), require('@tailwindcss/forms'), require('@tailwindcss/container-queries'), require('@tailwindcss/aspect-ratio')] } satisfies Config\n"
	b := openBuilder(t)
	for name, s := range map[string]sources{
		"v3": styled(v3css, "'container prose lg:prose-xl animate-in fade-in-50 bg-primary text-primary-foreground rounded-lg rounded-sm dark:bg-border hover:bg-primary/80 animate-accordion-down space-y-2 md:btn btn-primary aspect-w-16 form-input font-sans shadow-sm ring'", sources{"tailwind.config.ts": v3cfg, "package.json": `{"devDependencies":{"tailwindcss":"^3.4.0"}}`}),
		"v4plugins": styled("@import 'tailwindcss'; @import 'tw-animate-css'; @plugin '@tailwindcss/typography'; @plugin '@tailwindcss/forms' { strategy: class; }", "'prose animate-in fade-in form-input'", nil),
		"daisy": styled("@import 'tailwindcss'; @plugin 'daisyui';", "'btn btn-primary card'", nil),
	} {
		for i := 0; i < 3; i++ {
			req := request(build.ModeSite, s)
			req.Packages, req.PackagesKey = "/tmp/twork", "k"
			t0 := time.Now()
			if i == 2 { s["src/app.ts"] += "\n'p-7 m-7'" ; req.Files = s.files() }
			files := resultOf(t, b, req)
			fmt.Println(name, i, time.Since(t0), len(ending(files, ".css")), rss())
			if i == 0 { os.WriteFile("/tmp/twork/out-"+name+".css", []byte(ending(files, ".css")), 0o644) }
		}
	}
}
