package book

// schemaVersion is stored in SQLite's user_version. A book of another version is
// refused: it is made again by ingesting.
const schemaVersion = 5

const schema = `
CREATE TABLE IF NOT EXISTS meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- One row a version of a law. Days are yyyymmdd, 0 = not known.
CREATE TABLE IF NOT EXISTS laws (
  collection TEXT NOT NULL,
  id         TEXT NOT NULL,
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
  chunked    INTEGER NOT NULL,   -- 1 when its chunks are of its present units
  PRIMARY KEY (collection, id)
) WITHOUT ROWID;

-- Ids that corpora brought along for a law (民法典 has one a 编).
CREATE TABLE IF NOT EXISTS law_sources (
  collection TEXT NOT NULL,
  law        TEXT NOT NULL,
  source_id  TEXT NOT NULL,
  PRIMARY KEY (collection, law, source_id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS units (
  seq        INTEGER PRIMARY KEY,
  collection TEXT NOT NULL,
  id         TEXT NOT NULL,
  law        TEXT NOT NULL,
  source_id  TEXT NOT NULL,
  also       TEXT NOT NULL,      -- JSON array, source ids of copies with the same text
  kind       TEXT NOT NULL,
  label      TEXT NOT NULL,
  number     INTEGER NOT NULL,
  sub        INTEGER NOT NULL,
  path       TEXT NOT NULL,      -- JSON array of headings
  text       TEXT NOT NULL,
  ord        INTEGER NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS units_id ON units (collection, id);
CREATE INDEX IF NOT EXISTS units_law ON units (collection, law, number, sub, ord);

-- Consecutive units of a section, for context (LegRAG's chunk path).
CREATE TABLE IF NOT EXISTS chunks (
  collection TEXT NOT NULL,
  id         TEXT NOT NULL,
  law        TEXT NOT NULL,
  label      TEXT NOT NULL,
  path       TEXT NOT NULL,      -- JSON array of headings
  text       TEXT NOT NULL,
  units      TEXT NOT NULL,      -- JSON array of ids
  ord        INTEGER NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS chunks_id ON chunks (collection, id);
CREATE INDEX IF NOT EXISTS chunks_law ON chunks (collection, law, ord);

-- What the texts say has ended: one row for each clause and each law that ended
-- by it, or one without a law where the book does not have it.
CREATE TABLE IF NOT EXISTS repeals (
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
CREATE TABLE IF NOT EXISTS citations (
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
CREATE INDEX IF NOT EXISTS citations_target ON citations (target_in, target);

-- Inputs that are stored completely, by the digest of what was read.
CREATE TABLE IF NOT EXISTS inputs (
  path   TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  report TEXT NOT NULL           -- JSON, what it brought
) WITHOUT ROWID;
`
