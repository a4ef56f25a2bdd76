// Package book is the statute book: every law, in every version, with all its
// units, in one SQLite file. It is the truth that every index is made from.
//
// One process writes a book at a time and any number read it; the writer holds a
// lock on the data folder, and readers see the last whole transaction. Laws are
// few (thousands) and are held in memory; units are read by id.
//
// Every law belongs to a collection. Ids are unique within a collection, so two
// collections may each hold a copy of one law; look-ups name the collections
// that they may see and take the first that knows the id.
//
// The book knows which input brought which unit, in the order in which the inputs
// came first (Writer.From, Finish, Remove). An input that is read again replaces what
// it brought; what no input brings any more is gone. So what readers see depends on
// what the inputs hold now, and not on how often they changed or were interrupted.
package book
