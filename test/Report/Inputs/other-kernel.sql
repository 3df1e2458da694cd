-- A journal with one run, of which nothing was evaluated.
CREATE TABLE run (id INTEGER PRIMARY KEY, key TEXT, kernel TEXT, settings TEXT, tool TEXT,
                  started TEXT, reference BLOB);
CREATE TABLE step (run INTEGER, number INTEGER, kind TEXT, useful INTEGER, candidate TEXT,
                   request TEXT, stage TEXT, failure TEXT, grade TEXT, micros REAL,
                   seconds REAL, ops BLOB, made TEXT);
INSERT INTO run VALUES (1, 'k', 'another', 'seed=1', 'evo-opt 0.1.0', '2026-01-01 00:00:00', NULL);
PRAGMA user_version = 4;
