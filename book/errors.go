package book

import "errors"

var (
	// ErrNotFound is returned when the book has no such law or unit in the
	// collections and on the day asked about.
	ErrNotFound = errors.New("not in the statute book")

	// ErrLocked is returned when another process is writing to the data folder.
	ErrLocked = errors.New("another process is writing to this data folder")

	// ErrForeign is returned when the file of a book is that of another program.
	ErrForeign = errors.New("it is no statute book")

	// ErrEmpty is returned when a folder that should be read holds no book.
	ErrEmpty = errors.New("there is no statute book in this data folder")
)
