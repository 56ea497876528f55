package hook

import (
	"strings"
	"testing"
)

// The files that sed edits by name are found in a command as a shell reads it, and no
// others.
func TestEditsOfScripts(t *testing.T) {
	for script, want := range map[string]string{
		"sed -i 's/a/b/' src/a.go":                     "src/a.go",
		"sed -i.bak -e 's/a/b/' -e s/c/d/ a.go b.go":   "a.go b.go",
		"sed -i '' 's/a b/c/' a.go":                    "a.go",
		"sed -Ei 's/a/b/' 'my file.go'":                "my file.go",
		"cd web && sed -i s/a/b/ a.ts; go test ./...":  "web/a.ts",
		"cd /p/web; cd sub; sed -i s/a/b/ ../a.ts":     "/p/web/a.ts",
		"LC_ALL=C /usr/bin/sed -i \"s/a/\\\"/\" a.go":  "a.go",
		"git add -A && (sed -i s/a/b/ a.go | cat) > x": "a.go",
		"sed -i s/a/b/ a.go > log 2>&1":                "a.go",
		"sed --in-place=.x s/a/b/ a.go":                "a.go",
		"sed -i \\\n  s/a/b/ \\\n  a.go":               "a.go",

		"sed s/a/b/ a.go":                      "",
		"sed -n 1,5p a.go; echo -i b.go":       "",
		"sed -i s/a/b/ $FILE *.go \"$d/a.go\"": "",
		"sed -i s/a/b/ `ls` ~/a.go {a,b}.go":   "",
		"cd $DIR && sed -i s/a/b/ a.go":        "",
		"cd - && sed -i s/a/b/ a.go":           "",
		"patch -p1 < fix.patch":                "",
		"patch -d src a.go < fix.patch":        "",
		"echo 'sed -i s/a/b/ a.go'":            "",
		"cat <<EOF\nsed -i s/a/b/ a.go\nEOF":   "",
		"git commit -m \"patch a.go\"":         "",
		"sed -i 's/a/b":                        "",
		"sed -i":                               "",
		"sed -i s/a/b/":                        "",
		"":                                     "",
	} {
		if got := strings.Join(edits(script), " "); got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
	if n := len(edits("sed -i s/a/b/ " + strings.Repeat("a.go ", 1<<16))); n != 16 {
		t.Errorf("%d files of many", n)
	}
}

// The paths that mv renames are found in a command as a shell reads it, and no others.
func TestRenamesOfScripts(t *testing.T) {
	for script, want := range map[string]string{
		"mv a.go b.go":                  "a.go>b.go",
		"git mv -f a.go 'b c.go'":       "a.go>b c.go",
		"cd web && git mv a.go ../b.go": "web/a.go>b.go",
		"mv -n -- a.go c.go lib; ls":    "a.go>lib c.go>lib",
		"cd /p; /bin/mv a.go /q/b.go":   "/p/a.go>/q/b.go",
		"mkdir -p lib && mv a.go lib/":  "a.go>lib",
		"cp a.go b.go":                  "",
		"mv *.go lib":                   "",
		"mv a.go $DIR":                  "",
		"mv -t lib a.go b.go":           "",
		"mv --target-directory=lib a b": "",
		"git -C web mv a.go b.go":       "",
		"git commit -m 'mv a.go b.go'":  "",
		"cd - && mv a.go b.go":          "",
		"mv a.go":                       "",
		"git mv":                        "",
		"echo mv a.go b.go":             "",
		"cat <<EOF\nmv a.go b.go\nEOF":  "",
	} {
		var got []string
		for _, r := range renames(script) {
			got = append(got, r.From+">"+r.To)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
	if n := len(renames("mv " + strings.Repeat("a.go ", 1<<16))); n != 16 {
		t.Errorf("%d files of many", n)
	}
}

// Whatever a model runs, its reading ends, and yields no more files than an edit may have.
func FuzzEditsOfScripts(f *testing.F) {
	f.Add("cd a && sed -i 's/a/b/' \"x\\\" y\" > z <<E")
	f.Fuzz(func(t *testing.T, script string) {
		if n := max(len(edits(script)), len(renames(script))); n > 16 {
			t.Errorf("%d files", n)
		}
	})
}
