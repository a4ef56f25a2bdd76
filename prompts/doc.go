// Package prompts holds every prompt that is sent to a language model: a
// template file, a typed input, and where the answer has a shape, its parser.
//
// The wording of a prompt is part of an experiment, so each prompt has a version
// in its file name and a golden rendering in testdata; a change shows as a diff
// of both. Text that comes from documents or from users is delimited and named
// as data: nothing in it is an order.
package prompts
