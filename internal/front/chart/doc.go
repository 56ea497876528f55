// Package chart lays out a small bar chart, one bar a day, for who draws it: as SVG in a page, of
// which a template makes a rect for each bar. It says in words, too, what the drawing shows, for
// who does not see it. It knows nothing of memories, and keeps nothing, so a crash leaves nothing
// of it.
package chart
