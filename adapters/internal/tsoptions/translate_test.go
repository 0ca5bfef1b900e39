package tsoptions

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTranslate(t *testing.T) {
	const extends = `{"compilerOptions":%s,"extends":"/app/tsconfig.json"}`
	for name, c := range map[string]struct{ shown, want string }{
		"nothing to translate": {`{"compilerOptions": {"strict": true, "target": "es2020", "esModuleInterop": true}}`, ""},
		"no JSON":              {`error TS5083: Cannot read file`, ""},
		"a base alone":         {`{"compilerOptions": {"baseUrl": "./"}, "include": ["src"]}`, `{"baseUrl":null,"paths":{"*":["/app/*"]}}`},
		"paths below a base": {
			`{"compilerOptions": {"baseUrl": "./src", "paths": {"@/*": ["*", "./more/*"], "*": ["types/*"], "x": ["/y"]}}, "include": ["src"]}`,
			`{"baseUrl":null,"paths":{"*":["/app/src/types/*","/app/src/*"],"@/*":["/app/src/*","/app/src/more/*"],"x":["/y"]}}`,
		},
		"values":   {`{"compilerOptions": {"target": "ES5", "module": "umd", "moduleResolution": "Node10"}, "include": ["src"]}`, `{"module":"esnext","moduleResolution":null,"target":"es2015"}`},
		"switches": {`{"compilerOptions": {"alwaysStrict": false, "esModuleInterop": false, "strict": false}, "include": ["src"]}`, `{"alwaysStrict":null,"esModuleInterop":null}`},
		"nonsense": {`{"compilerOptions": {"baseUrl": 1, "paths": {"a": 1, "b": [2]}}, "include": ["src"]}`, `{"baseUrl":null,"paths":{"*":["/app/*"],"a":[],"b":[2]}}`},
	} {
		want := c.want
		if want != "" {
			want = strings.ReplaceAll(extends, "%s", want)
		}
		if got := Translate([]byte(c.shown), "/app/tsconfig.json"); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestADefaultMeansTheSameElsewhere(t *testing.T) {
	if got := Translate([]byte(`{"compilerOptions": {"baseUrl": "./"}, "files": ["./a.ts"]}`), "/app/web/tsconfig.json"); !strings.Contains(got, `"files":["/app/web/a.ts"]`) {
		t.Errorf("got %s, want the files by their places", got)
	}
	many, err := json.Marshal(map[string]any{"compilerOptions": map[string]string{"baseUrl": "."}, "files": strings.Split(strings.Repeat("./a.ts ", maxListed/4), " ")})
	if err != nil {
		t.Fatal(err)
	}
	if got := Translate(many, "/app/tsconfig.json"); !strings.Contains(got, `"include":["/app/**/*"]`) || len(got) > 1000 {
		t.Errorf("got %.200s, want all files without a list", got)
	}
}
