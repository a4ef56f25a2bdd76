// Package state keeps what is dear to make and is not the truth: replies of a
// language model, so that an experiment can be made again without one.
package state
