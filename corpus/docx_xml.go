package corpus

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// maxNesting bounds how deep elements may lie. Real documents stay below 60.
const maxNesting = 512

// Names of the vocabularies, in the transitional and the strict form.
const (
	wordSpace       = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	wordSpaceStrict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
	mathSpace       = "http://schemas.openxmlformats.org/officeDocument/2006/math"
	mathSpaceStrict = "http://purl.oclc.org/ooxml/officeDocument/math"
	compatSpace     = "http://schemas.openxmlformats.org/markup-compatibility/2006"
)

// element is the name of an element as it is usually written, without w: for
// WordprocessingML: p, m:t, mc:Choice. "" stands for all other vocabularies.
func element(n xml.Name) string {
	switch n.Space {
	case wordSpace, wordSpaceStrict:
		return n.Local
	case mathSpace, mathSpaceStrict:
		return "m:" + n.Local
	case compatSpace:
		return "mc:" + n.Local
	}
	return ""
}

// attribute returns the value of the attribute, whatever its prefix.
func attribute(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// isOn reads a property that is on by being there, unless its value says no.
func isOn(e xml.StartElement) bool { return onValue(attribute(e, "val")) }

func onValue(v string) bool { return v != "0" && v != "false" && v != "off" }

// xmlPart walks through the XML of one part.
type xmlPart struct {
	name  string
	dec   *xml.Decoder
	depth int
}

func newXMLPart(name string, r io.Reader) *xmlPart {
	return &xmlPart{name: name, dec: xml.NewDecoder(r)}
}

// next returns the next token. Broken XML, entities of the document's own and
// extreme nesting are errors with the place; io.EOF ends a whole part.
func (p *xmlPart) next() (xml.Token, error) {
	t, err := p.dec.Token()
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, errTooBig) {
			return nil, err
		}
		return nil, p.fault(err)
	}
	switch t.(type) {
	case xml.StartElement:
		if p.depth++; p.depth > maxNesting {
			return nil, p.fault(fmt.Errorf("elements lie more than %d deep", maxNesting))
		}
	case xml.EndElement:
		p.depth--
	case xml.Directive:
		return nil, p.fault(errors.New("a document type is declared, which no Word document does"))
	}
	return t, nil
}

func (p *xmlPart) fault(err error) error {
	return fmt.Errorf("%s is broken at byte %d: %w", p.name, p.dec.InputOffset(), err)
}

// each calls child for each element inside the current one, and text (which may
// be nil) for the characters. child must read its element to the end.
func (p *xmlPart) each(child func(xml.StartElement) error, text func(string)) error {
	for {
		t, err := p.next()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			err = child(t)
		case xml.CharData:
			if text != nil {
				text(string(t))
			}
		case xml.EndElement:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// skip passes over the rest of the current element.
func (p *xmlPart) skip() error {
	for within := p.depth; p.depth >= within; {
		if _, err := p.next(); err != nil {
			return err
		}
	}
	return nil
}

// whole calls root for the part's one outermost element.
func (p *xmlPart) whole(root func(xml.StartElement) error) error {
	for {
		t, err := p.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := t.(xml.StartElement); ok {
			if err := root(e); err != nil {
				return err
			}
		}
	}
}

// decode fills v with a small part that is read as a whole.
func (z *docxZip) decode(name string, v any) error {
	return z.read(name, func(r io.Reader) error {
		if err := xml.NewDecoder(r).Decode(v); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s is broken: %w", name, err)
		}
		return nil
	})
}
