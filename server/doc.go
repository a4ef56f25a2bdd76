// Package server is LexAgent over HTTP: the OpenAI protocol, search, the statute
// book, health, and the embedded web page.
//
// It knows how to speak, not how anything is done: what it needs comes through
// four small ports (Answerer, Searcher, Statutes, Health), and it answers with
// the types of graph, retrieval, verify and statute as they are.
//
//	s, err := server.New(server.Options{Answerer: …, Searcher: …, Statutes: …, Health: …})
//	err = s.Listen()     // binds; s.Addr() is known from here on
//	err = s.Run(ctx)     // serves until ctx ends, then lets answers in flight finish
//
// # Requests
//
// A request passes these, outermost first: access log and request id (log.go),
// recovery from panics, security headers and the host check (guard.go), the
// count of requests in flight (server.go), the body (body.go), its handler.
// Bodies are read here rather than by Hertz, so that a body that is too large is
// refused in the protocol's own words, and so that each route can have its own
// bound later.
//
// # Errors
//
// Handlers return errors; problem.go alone joins them with a status and a public
// message in OpenAI's shape. What a client sees never holds a stack, a path of
// this machine or a question; the request id leads to the log.
//
// # Streams
//
// An answer streams as OpenAI chunks (stream.go). The first chunk has the role;
// progress comes as chunks with an empty delta and a `lexagent` field; the text
// as deltas; the last chunk has finish_reason "stop" or "length" and, beside it, `citations`,
// `verification` and `lexagent`, and url_citation annotations in its delta. While
// nothing happens a comment keeps the connection alive. When the client leaves,
// the context given to the Answerer ends at once; a stream that was asked to be
// resumable (resume.go) waits for it a little, and gives its events ids.
//
// # Documents
//
// Uploads (documents.go) are stored and queued by a Documents, which tells of the job
// that reads them. Bodies of that path alone may be large, and few at a time.
//
// # Tools
//
// /mcp gives the tools of package tools, and laws and articles as resources, to any MCP
// client (mcp.go): streamable HTTP without sessions. MCP.Server is the same for a client
// on stdin and stdout. The model lexagent-agent has a language model call the same tools;
// it is there where Options.Agent is.
//
// # Contract
//
// openapi.yaml tells all of this to programs. Tests hold every route and response
// against it, so a change of either is a change of both.
package server
