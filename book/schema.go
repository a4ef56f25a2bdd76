package book

import "fmt"

// schemaVersion is stored in SQLite's user_version. A book of an older version, from
// oldestVersion on, is read as it is and gets what later ones have when it is next
// opened for writing; one of another version is refused: it is made again by ingesting.
const (
	schemaVersion = 8
	oldestVersion = 7
	withIntents   = 8
)

// setVersion notes the schema's version.
var setVersion = fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)

// added is what a version has beyond the one before.
var added = map[int]string{withIntents: intentsSchema}

const schema = `
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- What was ingested, numbered in the order in which it came first.
CREATE TABLE inputs (
  seq        INTEGER PRIMARY KEY,
  collection TEXT NOT NULL,
  path       TEXT NOT NULL,
  digest     TEXT NOT NULL,      -- of all that its units depend on; '' while not all of it is stored
  content    TEXT NOT NULL,      -- of its bytes, when all of it was stored last
  report     TEXT NOT NULL,      -- JSON, what it brought
  UNIQUE (collection, path)
);

-- One row for a version of a law and each input that brings it; what the last of
-- these says of the law counts. Days are yyyymmdd, 0 = not known.
CREATE TABLE laws (
  collection TEXT NOT NULL,
  id         TEXT NOT NULL,
  input      INTEGER NOT NULL,
  title      TEXT NOT NULL,
  short      TEXT NOT NULL,
  level      INTEGER NOT NULL,
  region     TEXT NOT NULL,
  issuer     TEXT NOT NULL,
  header     TEXT NOT NULL,      -- the dated lines under the title
  version    TEXT NOT NULL,
  published  INTEGER NOT NULL,
  effective  INTEGER NOT NULL,
  ended      INTEGER NOT NULL,   -- as the sources say
  ended_by   TEXT NOT NULL,
  declared   TEXT NOT NULL,
  source_ids TEXT NOT NULL,      -- JSON array, ids that the corpus brought along (民法典 has one a 编)
  state      INTEGER NOT NULL,   -- 0 new, 1 held by the input as it was stored whole last, 2 kept of an earlier state of it
  PRIMARY KEY (collection, id, input)
) WITHOUT ROWID;
CREATE INDEX laws_input ON laws (input);

-- One row for each unit that an input brings. Of those that bring one text under
-- one id, readers see the first, and the others are its copies. A further text
-- under the same id has a variant of it (~2).
CREATE TABLE origins (
  seq        INTEGER PRIMARY KEY,
  input      INTEGER NOT NULL,
  collection TEXT NOT NULL,
  base       TEXT NOT NULL,      -- the id without ~n
  nth        INTEGER NOT NULL,   -- of the input's units with this base, from 0
  id         TEXT NOT NULL,      -- under which readers find the text
  copy       INTEGER NOT NULL,   -- 1 when they see it as another row
  law        TEXT NOT NULL,
  source_id  TEXT NOT NULL,
  source_also TEXT NOT NULL,     -- JSON array, further ids that the input has for it
  also       TEXT NOT NULL,      -- JSON array, source_also and the source ids of copies
  kind       TEXT NOT NULL,
  label      TEXT NOT NULL,
  number     INTEGER NOT NULL,
  sub        INTEGER NOT NULL,
  path       TEXT NOT NULL,      -- JSON array of headings
  text       TEXT NOT NULL,
  ord        INTEGER NOT NULL
);
CREATE UNIQUE INDEX units_id ON origins (collection, id) WHERE copy = 0;
CREATE INDEX units_law ON origins (collection, law, number, sub, ord) WHERE copy = 0;
CREATE INDEX origins_base ON origins (collection, base) WHERE copy = 1 OR id <> base;
CREATE INDEX origins_input ON origins (input);

-- What readers see of them.
CREATE VIEW units AS
  SELECT seq, collection, id, law, source_id, also, kind, label, number, sub, path, text, ord FROM origins WHERE copy = 0;

-- Consecutive units of a section, for context (LegRAG's chunk path).
CREATE TABLE chunks (
  collection TEXT NOT NULL,
  id         TEXT NOT NULL,
  law        TEXT NOT NULL,
  label      TEXT NOT NULL,
  path       TEXT NOT NULL,      -- JSON array of headings
  text       TEXT NOT NULL,
  units      TEXT NOT NULL,      -- JSON array of ids
  ord        INTEGER NOT NULL
);
CREATE UNIQUE INDEX chunks_id ON chunks (collection, id);
CREATE INDEX chunks_law ON chunks (collection, law, ord);

-- The laws whose chunks are of their present units.
CREATE TABLE chunked (
  collection TEXT NOT NULL,
  law        TEXT NOT NULL,
  PRIMARY KEY (collection, law)
) WITHOUT ROWID;

-- What the texts say has ended: one row for each clause and each law that ended
-- by it, or one without a law where the book does not have it.
CREATE TABLE repeals (
  collection TEXT NOT NULL,      -- of the clause
  law        TEXT NOT NULL,      -- the law the clause stands in
  unit       TEXT NOT NULL,      -- and the unit
  at         INTEGER NOT NULL,   -- place of the name in the unit, in bytes
  name       TEXT NOT NULL,      -- as printed
  ended      TEXT NOT NULL,      -- the law that ended, '' when the book does not have it
  ended_in   TEXT NOT NULL,      -- its collection
  day        INTEGER NOT NULL,   -- first day no longer in force, 0 = not known
  clause     TEXT NOT NULL,
  PRIMARY KEY (collection, unit, at, ended_in, ended)
) WITHOUT ROWID;

-- Who cites whom. A reference that leads nowhere has no "target" and a reason.
CREATE TABLE citations (
  collection TEXT NOT NULL,      -- of the unit that cites
  unit       TEXT NOT NULL,
  ord        INTEGER NOT NULL,   -- order in the unit
  law        TEXT NOT NULL,      -- the law that cites
  target     TEXT NOT NULL,      -- a unit, or a law for amends and repeals; '' when unresolved
  target_in  TEXT NOT NULL,      -- its collection
  target_law TEXT NOT NULL,      -- the cited law's id, or its name as printed
  number     INTEGER NOT NULL,   -- of the article cited, 0 = none
  sub        INTEGER NOT NULL,
  kind       TEXT NOT NULL,      -- cites, amends, repeals
  text       TEXT NOT NULL,      -- as printed
  reason     TEXT NOT NULL,      -- why it is unresolved
  stale      INTEGER NOT NULL,   -- 1 when the cited law is later than the citing one
  PRIMARY KEY (collection, unit, ord)
) WITHOUT ROWID;
CREATE INDEX citations_target ON citations (target_in, target);
` + intentsSchema

const intentsSchema = `
-- What units are for (LexPath § 3.5): the probabilities of prompts.Intents as a JSON
-- array, and the likeliest.
CREATE TABLE intents (
  collection TEXT NOT NULL,
  law        TEXT NOT NULL,
  unit       TEXT NOT NULL,
  intent     TEXT NOT NULL,
  odds       TEXT NOT NULL,
  PRIMARY KEY (collection, law, unit)
) WITHOUT ROWID;

-- The laws whose intents are of their present units, and who told them.
CREATE TABLE labelled (
  collection TEXT NOT NULL,
  law        TEXT NOT NULL,
  grade      INTEGER NOT NULL,   -- 1 rules, 2 a classifier, 3 a language model
  labeler    TEXT NOT NULL,
  PRIMARY KEY (collection, law)
) WITHOUT ROWID;
`
