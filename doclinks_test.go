package mem_test

import (
	"encoding/json"
	"go/ast"
	"go/doc/comment"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// A link of a doc comment, [Name] or [pkg.Name], leads to a name that exists.
func TestDocLinks(t *testing.T) {
	testkit.Sources(t, "./...")
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export",
		"./...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as built already, also for the race detector
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	exports, listed := map[string]string{}, []listedPackage{}
	for decoder := json.NewDecoder(out); decoder.More(); {
		var p listedPackage
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module) {
			listed = append(listed, p)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	c := linkChecker{t: t, fset: token.NewFileSet()}
	c.importer = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	for _, p := range listed {
		c.check(p)
	}
	if c.links < 200 {
		t.Errorf("only %d links", c.links)
	}
}

type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

type linkChecker struct {
	t        *testing.T
	fset     *token.FileSet
	importer types.Importer
	imported map[string]string // of the package that is checked: name to path
	here     string
	links    int
}

func (c *linkChecker) check(p listedPackage) {
	c.here, c.imported = p.ImportPath, map[string]string{}
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		if err != nil {
			c.t.Fatal(err)
		}
		files = append(files, file)
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			c.imported[path[strings.LastIndex(path, "/")+1:]] = path
			if spec.Name != nil {
				c.imported[spec.Name.Name] = path
			}
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if group, ok := n.(*ast.CommentGroup); ok { // only those that document something
				c.comment(group)
			}
			return true
		})
	}
}

func (c *linkChecker) comment(group *ast.CommentGroup) {
	p := comment.Parser{
		LookupPackage: func(name string) (string, bool) { return name, true },
		LookupSym:     func(string, string) bool { return true },
	}
	for _, block := range p.Parse(group.Text()).Content {
		c.block(group, block)
	}
}

func (c *linkChecker) block(group *ast.CommentGroup, block comment.Block) {
	switch block := block.(type) {
	case *comment.Paragraph:
		for _, text := range block.Text {
			if link, ok := text.(*comment.DocLink); ok && link.Name != "" {
				if c.links++; !c.resolves(link) {
					c.t.Errorf("%s: no %s", c.fset.Position(group.Pos()),
						strings.Trim(link.ImportPath+"."+link.Recv+"."+link.Name, "."))
				}
			}
		}
	case *comment.List:
		for _, item := range block.Items {
			for _, block := range item.Content {
				c.block(group, block)
			}
		}
	}
}

// resolves reports whether a link has an exported object of the package that it names, or of this
// one: a name of an import, or a whole path.
func (c *linkChecker) resolves(link *comment.DocLink) bool {
	path := link.ImportPath
	if path == "" {
		path = c.here
	} else if imported := c.imported[path]; imported != "" {
		path = imported
	}
	pkg, err := c.importer.Import(path)
	if err != nil {
		return false
	}
	if link.Recv == "" {
		return pkg.Scope().Lookup(link.Name) != nil
	}
	recv := pkg.Scope().Lookup(link.Recv)
	if recv == nil {
		return false
	}
	found, _, _ := types.LookupFieldOrMethod(recv.Type(), true, pkg, link.Name)
	return found != nil
}
