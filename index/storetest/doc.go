// Package storetest is the contract of index.Store as a suite of tests: what a
// store must return for random documents, filters and queries, compared with
// scoring every document, and how it treats what is odd or wrong. A store's own
// tests call Run.
package storetest
