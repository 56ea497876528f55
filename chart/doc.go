// Package chart lays out a small bar chart, one bar a day, for who draws it: as SVG in a page, whose
// template makes a rect of each bar. It says in words, too, what the drawing shows, for who does
// not see it. It knows nothing of memories, and keeps nothing, so a crash leaves nothing of it.
package chart
