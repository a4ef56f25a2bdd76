// Package corpus turns bytes into laws: Markdown, plain text, HTML, PDF and Word
// files, JSON lines, and SQLite files become Documents, each one version of one law
// with its articles (条) and other units, ids and dates filled in.
//
// There is one recogniser of structure and there are many readers. A reader for
// a text format only makes blocks: lines or paragraphs, with the heading depth
// where the format marks one. The recogniser (structure.go) finds in them the
// title and the dated header, 编/章/节, articles, the preamble (序言), numbered
// items (一、二、) of texts without articles, sections and attachments (附件).
// Readers of corpora that are already split into units (JSON lines, SQLite) make
// units directly. Both ways end in finish (finish.go), which gives ids, joins
// repeated units and notes what a person should know.
//
// # Pages, texts and PDF files
//
// Of an HTML page the law is read and what surrounds it (navigation, footers, buttons,
// the lines about source and font size) is listed rest, as is text that the page hides
// or strikes out. Numbers of lists are printed as a browser would.
//
// In plain text (UTF-8, GB18030; UTF-16 with its mark) a line is a paragraph, unless the
// text is recognisably wrapped at a fixed width; then the lines of a paragraph are joined.
// PDF files are joined likewise, by the places of the characters (text_join.go). Running
// heads and page numbers are listed rest. PDF files without a text layer, or whose fonts
// don't tell their characters, are refused: nothing is guessed.
//
// A file whose first bytes show that it isn't what its name says is refused (sniff.go).
//
// # Word documents
//
// The numbers that Word gives paragraphs (第%1条, （%1）) stand in no text of the
// file; the reader counts and prints them (docx_numbers.go), and they are part of
// labels and texts. Footnotes stand in brackets at the end of the paragraph that
// refers to them. Deleted, hidden and merged-away text, comments, page headers and
// footers are listed rest.
//
// # Tables
//
// A row is a line, its cells joined by " | ". A table is part of the article or
// section it stands in; a large one (tables.go) becomes a unit of its own behind it.
//
// # Which day names a version
//
// A law's version is, in this order: the day in brackets at the end of the file's
// name, unless it is before the first day in the header (collections name a
// version so, and the same law must get the same id from all of them; headers
// often lack the latest amendment); the latest adoption or amendment in the
// header; its latest approval or publication; any day in the file's name; the
// first day in force told by the text; a hash of the text.
//
// Many sources give, for an amended version, the day on which the law's first
// version took effect. A version can't apply before it was adopted, so such an
// effective day is replaced by the version's own day.
//
// # Coverage
//
// Every character of a text source that isn't white space belongs to a unit, to
// a heading, or to a listed rest (header lines, comments, a table of contents);
// Coverage counts them, so that a report can say that nothing was lost.
package corpus
