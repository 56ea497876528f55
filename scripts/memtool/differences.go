package main

import (
	"regexp"
	"strings"
)

// difference is what both do otherwise on purpose.
type difference struct {
	why   string
	is    func(c command, ours string, failed bool, theirs answer) bool
	count int
}

var differences = []*difference{
	{why: "the documentation has a shorter text where there is no file to insert into",
		is: func(c command, ours string, _ bool, theirs answer) bool {
			return c["command"] == "insert" &&
				"Error: "+theirs.Error == ours+". Please provide a valid path."
		}},
	{why: "the documentation calls a directory a file that does not exist",
		is: func(_ command, ours string, failed bool, theirs answer) bool {
			return strings.HasSuffix(theirs.Error, " is not a file.") &&
				strings.Contains(ours, "does not exist")
		}},
	{why: "the SDK compares the letters /memories alone",
		is: func(c command, ours string, _ bool, _ answer) bool {
			return strings.HasPrefix(ours, "Error: Path must start with /memories, got: /memoriesa")
		}},
	{why: "a step upward is refused wherever it leads, and however it is written",
		is: func(_ command, ours string, _ bool, _ answer) bool {
			return strings.HasSuffix(ours, " would escape /memories directory")
		}},
	{why: "the SDK tells what Node.js says of a file in the way of a directory",
		is: func(_ command, ours string, failed bool, theirs answer) bool {
			node := regexp.MustCompile(`^(EEXIST|ENOTDIR|EINVAL|ENOTEMPTY): `)
			return failed && node.MatchString(theirs.Error)
		}},
	{why: "the SDK looks for a text line by line, and in each but once",
		is: func(c command, ours string, failed bool, theirs answer) bool {
			old, _ := c["old_str"].(string)
			spans := strings.Contains(old, "\n") && strings.Contains(theirs.Error, "verbatim")
			return c["command"] == "str_replace" && (spans ||
				theirs.Text != nil && strings.Contains(ours, "Multiple occurrences"))
		}},
	{why: "the SDK finds an empty text in each line",
		is: func(c command, ours string, failed bool, _ answer) bool {
			return c["old_str"] == "" && failed && strings.Contains(ours, "did not appear verbatim")
		}},
	{why: "the SDK writes \"undefined\" for a missing new_str",
		is: func(c command, _ string, failed bool, theirs answer) bool {
			return c["new_str"] == nil && !failed && theirs.Text != nil &&
				strings.Contains(*theirs.Text, "undefined")
		}},
	{why: "the SDK shows a range that holds no line as an empty file",
		is: func(c command, ours string, failed bool, theirs answer) bool {
			return c["view_range"] != nil && theirs.Text != nil &&
				strings.HasPrefix(ours, "Error: Invalid `view_range`")
		}},
	{why: "a listing spells paths as keys",
		is: func(c command, ours string, failed bool, theirs answer) bool {
			path, _ := c["path"].(string)
			return c["command"] == "view" && theirs.Text != nil &&
				sized(ours) == strings.ReplaceAll(sized(*theirs.Text), path+"/", clean(path)+"/")
		}},
}

func clean(path string) string {
	return strings.TrimSuffix(strings.ReplaceAll(path, "//", "/"), "/")
}

// sized returns an answer without the sizes of directories, which are the file system's.
func sized(text string) string {
	if !strings.HasPrefix(text, "Here're") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if size, path, _ := strings.Cut(line, "\t"); i == 1 || strings.HasSuffix(path, "/") {
			lines[i] = strings.TrimPrefix(line, size)
		}
	}
	return strings.Join(lines, "\n")
}

// same reports whether both have answered the same.
func same(ours string, failed bool, theirs answer) bool {
	if theirs.Text != nil {
		return !failed && sized(ours) == sized(*theirs.Text)
	}
	return failed && (ours == theirs.Error || ours == "Error: "+theirs.Error)
}
