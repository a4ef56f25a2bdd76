package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"

	"github.com/cloudwego/hertz/pkg/app"

	"lexagent/ingest"
	"lexagent/ingest/uploads"
)

// Documents takes documents in, and out again; *uploads.Desk does.
type Documents interface {
	// Add stores the files of one upload and returns the job that reads them. What it
	// refuses is a *uploads.FileError.
	Add(ctx context.Context, collection string, files []uploads.File) (uploads.Job, error)
	// Job returns a job as it stands now, or an error that wraps uploads.ErrNotFound.
	Job(id string) (uploads.Job, error)
	// Documents lists those of a collection.
	Documents(collection string) ([]uploads.Document, error)
	// Remove begins a job that takes a document out, or returns an error that wraps
	// uploads.ErrNoDocument.
	Remove(collection, name string) (uploads.Job, error)
}

const (
	documentsPath     = "/v1/documents"
	uploadsCollection = "uploads" // where no other is named
	maxFiles          = 16
)

var errNoUploads = &problem{Status: 404, Code: "not_found", Message: "this server takes no documents"}

// upload is what POST /v1/documents brought.
type upload struct {
	collection string
	files      []uploads.File
}

// documents answers POST /v1/documents: a form with files, or one file as the body
// with ?filename=. The collection is a field of the form or of the query.
func (s *Server) documents(c context.Context, ctx *app.RequestContext) error {
	if s.o.Documents == nil {
		return errNoUploads
	}
	u, err := uploadOf(ctx)
	if err != nil {
		return err
	}
	if err := ownCollection(ctx, u.collection); err != nil {
		return err
	}
	if len(u.files) == 0 {
		return badParam("file", "there is no file in the request")
	}
	c, cancel := context.WithTimeout(c, s.o.ReadTimeout)
	defer cancel()
	job, err := s.o.Documents.Add(c, u.collection, u.files)
	if err != nil {
		return documentProblem(err)
	}
	return begun(ctx, job)
}

// begun answers with a job and where to follow it.
func begun(ctx *app.RequestContext, job uploads.Job) error {
	ctx.Header("Location", "/v1/jobs/"+job.ID)
	return writeJSON(ctx, 202, job)
}

// ownCollection refuses what is no collection, or none that the request's key sees.
func ownCollection(ctx *app.RequestContext, name string) error {
	if err := ingest.CheckCollection(name); err != nil {
		return badParam("collection", "%v", err)
	}
	_, err := visible(ctx, []string{name})
	return err
}

// collectionOf is the collection that a query names.
func collectionOf(ctx *app.RequestContext) (string, error) {
	name := cmp.Or(ctx.Query("collection"), uploadsCollection)
	return name, ownCollection(ctx, name)
}

// listDocuments answers GET /v1/documents: the documents of a collection.
func (s *Server) listDocuments(_ context.Context, ctx *app.RequestContext) error {
	if s.o.Documents == nil {
		return errNoUploads
	}
	collection, err := collectionOf(ctx)
	if err != nil {
		return err
	}
	documents, err := s.o.Documents.Documents(collection)
	if err != nil {
		return err
	}
	return writeJSON(ctx, 200, struct {
		Collection string             `json:"collection"`
		Documents  []uploads.Document `json:"documents"`
	}{collection, documents})
}

// deleteDocument answers DELETE /v1/documents/{name}: a job takes it out.
func (s *Server) deleteDocument(_ context.Context, ctx *app.RequestContext) error {
	if s.o.Documents == nil {
		return errNoUploads
	}
	collection, err := collectionOf(ctx)
	if err != nil {
		return err
	}
	job, err := s.o.Documents.Remove(collection, ctx.Param("name"))
	if err != nil {
		return documentProblem(err)
	}
	return begun(ctx, job)
}

// documentProblem is why a document was not taken in, or out.
func documentProblem(err error) error {
	var f *uploads.FileError
	switch {
	case errors.Is(err, uploads.ErrPublic):
		return badParam("collection", "%v", err)
	case errors.Is(err, uploads.ErrNoDocument):
		return &problem{Status: 404, Code: "not_found", Message: uploads.ErrNoDocument.Error()}
	case errors.Is(err, uploads.ErrFull):
		return &problem{Status: 503, Code: "busy", Message: err.Error() + "; try again in a minute", Retry: 60}
	case !errors.As(err, &f):
		return err
	case f.Kind == uploads.BadType:
		return &problem{Status: 415, Code: "unsupported_file_type", Param: "file", Message: f.Error()}
	case f.Kind == uploads.Unreadable:
		return &problem{Status: 422, Code: "unreadable_document", Param: "file", Message: f.Error()}
	}
	return &problem{Status: 400, Code: "invalid_value", Param: "filename", Message: f.Error()}
}

func uploadOf(ctx *app.RequestContext) (upload, error) {
	u := upload{collection: ctx.Query("collection")}
	kind, params, err := mime.ParseMediaType(string(ctx.ContentType()))
	if err == nil && kind == "multipart/form-data" {
		err = u.readForm(multipart.NewReader(bytes.NewReader(bodyOf(ctx)), params["boundary"]))
	} else {
		err = u.readRaw(ctx)
	}
	u.collection = cmp.Or(u.collection, uploadsCollection)
	return u, err
}

// readRaw takes the body as one file.
func (u *upload) readRaw(ctx *app.RequestContext) error {
	name, body := ctx.Query("filename"), bodyOf(ctx)
	if name == "" {
		return badParam("filename", "send a form with files (multipart/form-data), or one file as the body and its name as ?filename=")
	}
	if len(body) > 0 {
		u.files = []uploads.File{{Name: name, Body: body}}
	}
	return nil
}

// readForm takes the files of a form, whatever their fields are called.
func (u *upload) readForm(form *multipart.Reader) error {
	malformed := &problem{Status: 400, Code: "bad_body", Message: "the form is not well-formed multipart/form-data"}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return malformed
		}
		_, about, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		if err != nil {
			return malformed
		}
		name, isFile := about["filename"] // as it was sent: part.FileName would hide a path in it
		body, err := io.ReadAll(part)     // of a body that is bounded
		switch {
		case err != nil:
			return malformed
		case isFile && len(u.files) == maxFiles:
			return badParam("file", "more than %d files in one request", maxFiles)
		case isFile:
			u.files = append(u.files, uploads.File{Name: name, Body: body})
		case part.FormName() == "collection":
			u.collection = string(body)
		default:
			return &problem{Status: 400, Code: "unknown_field", Param: part.FormName(), Message: "the form has a field that is neither a file nor the collection"}
		}
	}
}

// job answers GET /v1/jobs/{id}.
func (s *Server) job(_ context.Context, ctx *app.RequestContext) error {
	if s.o.Documents == nil {
		return errNoUploads
	}
	job, err := s.o.Documents.Job(ctx.Param("id"))
	if k := keyOf(ctx); errors.Is(err, uploads.ErrNotFound) || err == nil && k != nil && !k.Sees(job.Collection) {
		return &problem{Status: 404, Code: "not_found", Message: "there is no job with this id"}
	}
	if err != nil {
		return err
	}
	ctx.Header("Cache-Control", "no-store")
	return writeJSON(ctx, 200, job)
}
