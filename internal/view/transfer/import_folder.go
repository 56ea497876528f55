package transfer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/log"
)

// readFolder reads the markdown files of a folder and below, or the one that only names.
func (im *incoming) readFolder(path, only string) error {
	dir, err := disk.Open(path)
	if err != nil {
		return inputError(path, err)
	}
	defer dir.Close()
	names := []string{only}
	im.single = only != ""
	if only == "" {
		// The README.md of the folder is no memory.
		if _, err := dir.Lstat(log.File); err == nil && im.o.Format == "" {
			return fmt.Errorf("%s: %w: this is a store; "+
				"mem --root DIR export | mem import - imports it", path, mem.ErrInput)
		}
		if names, err = topicNames(dir, ""); err != nil {
			return err
		}
		if len(names) == 0 && im.o.Format == "" {
			return fmt.Errorf("%s: %w: no *.md files in this folder", path, mem.ErrInput)
		}
	}
	for _, name := range names {
		if err := im.readTopic(dir, name, names); err != nil {
			return err
		}
	}
	return nil
}

// readGuidance reads a file of guidance, an item for each bullet and paragraph.
func (im *incoming) readGuidance(path, name string) error {
	dir, err := disk.Open(path)
	if err != nil {
		return inputError(path, err)
	}
	defer dir.Close()
	path = dir.Join(name)
	text, err := readMarkdown(dir, name)
	switch {
	case disk.Failed(err):
		return err
	case err != nil:
		im.refuse(path, 0, err)
		return nil
	}
	items := 0
	for rec, err := range foreign.ReadGuidance(name, text) {
		items++
		before := len(im.writes)
		im.add(path, rec, err)
		if w := im.writes[before:]; im.o.DryRun && len(w) > 0 {
			im.rep.Items = append(im.rep.Items,
				Item{w[0].Key(), content.Parse(w[0].Content()).Text})
		}
	}
	if items == 0 {
		return fmt.Errorf("%s: %w: no bullet and no paragraph in it", path, mem.ErrInput)
	}
	return nil
}

// topicNames finds the markdown files below a directory, by name. Hidden files are left out.
func topicNames(dir *disk.Dir, below string) (names []string, err error) {
	entries, err := dir.ReadDir(strings.TrimSuffix("./"+below, "/"))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := below + e.Name()
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			deeper, failed := topicNames(dir, name+"/")
			names, err = append(names, deeper...), cmp.Or(err, failed)
		case foreign.IsTopic(e.Name()):
			names = append(names, name)
		}
	}
	return names, err
}

func (im *incoming) readTopic(dir *disk.Dir, name string, names []string) error {
	path := dir.Join(name)
	text, err := readMarkdown(dir, name)
	if err == nil && foreign.OwnPage(text) && (name != foreign.IndexFile || im.single) {
		err = foreign.ErrPage
	}
	switch {
	case disk.Failed(err):
		return err
	case err != nil:
		im.refuse(path, 0, err)
		return nil
	case name != foreign.IndexFile:
		rec, err := foreign.ReadTopic(name, text)
		im.add(path, rec, err)
		return nil
	}
	rec, some, err := foreign.ReadIndex(text, func(name string) bool {
		return name != foreign.IndexFile && slices.Contains(names, name)
	})
	if some || err != nil {
		im.add(path, rec, err)
	}
	return nil
}

// readMarkdown reads a file up to the length of a memory. It refuses anything but a plain file.
func readMarkdown(dir *disk.Dir, name string) ([]byte, error) {
	text, err := dir.ReadFile(name, policy.MaxBatchLine)
	switch {
	case errors.Is(err, disk.ErrLarger):
		err = fmt.Errorf("file: %w: at most %d bytes", policy.ErrTooLarge, policy.MaxBatchLine)
	case errors.Is(err, disk.ErrIrregular):
		// Not wrapped: it is no file of the store, so the hint to run fsck would be wrong.
		err = fmt.Errorf("%w: %s", mem.ErrInput, disk.ErrIrregular)
	}
	return text, err
}
