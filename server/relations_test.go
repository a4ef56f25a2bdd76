package server_test

import (
	"testing"

	"lexagent/server"
)

func TestVersions(t *testing.T) {
	s := serve(t)
	var r struct {
		ID   string
		Data []struct{ ID, Version, Status, Label, Text, Repealed string }
	}
	s.get("GET", article+"/versions", "", &r)
	if len(r.Data) != 2 || r.ID != "民法典@2020-05-28:1077" {
		t.Fatalf("versions: %+v", r)
	}
	if v := r.Data[0]; v.ID != "民法典@2019-12-16:1077" || v.Repealed != "2021-01-01" || v.Status == "in_force" || v.Text == r.Data[1].Text {
		t.Errorf("the former version: %+v", v)
	}
	// A version that has no such article says so.
	s.get("GET", "/v1/articles/%E6%B0%91%E6%B3%95%E5%85%B8:1079/versions", "", &r)
	if v := r.Data[0]; v.ID != "" || v.Version != "2019-12-16" {
		t.Errorf("a version without the article: %+v", v)
	}
}

func TestCitations(t *testing.T) {
	s := serve(t)
	type edge struct{ ID, Law, Label, Kind, Text, Reason string }
	var r struct {
		Out   []edge `json:"cites"`
		In    []edge `json:"cited_by"`
		Total int    `json:"cites_total"`
	}
	s.get("GET", article+"/citations", "", &r)
	if len(r.Out) != 2 || len(r.In) != 1 || r.Total != 2 {
		t.Fatalf("citations: %+v", r)
	}
	if e := r.Out[0]; e.ID != "民法典@2020-05-28:1076" || e.Label != "第一千零七十六条" || e.Kind != "cites" {
		t.Errorf("what it cites: %+v", e)
	}
	if e := r.Out[1]; e.ID != "" || e.Law != "婚姻登记条例" || e.Reason != "no_law" {
		t.Errorf("what the book lacks: %+v", e)
	}
	if e := r.In[0]; e.ID != "民法典@2020-05-28:1078" || e.Text != "前条" {
		t.Errorf("what cites it: %+v", e)
	}
	if s.get("GET", article+"/citations?limit=1", "", &r); len(r.Out) != 1 || r.Total != 2 {
		t.Errorf("limited: %+v", r)
	}
	none := serve(t, func(o *server.Options) { o.Relations = nil })
	if res, _ := none.do("GET", article+"/citations", ""); res.StatusCode != 404 {
		t.Errorf("a server without them: %d", res.StatusCode)
	}
}
