-- The actions of a log as a view of DuckDB, each column with its type: nothing is inferred, so that logs of all models have
-- the same columns, and members that are first seen late are not lost. Times are UTC.
--   duckdb -c "SET VARIABLE log = 'my-log/0*.jsonl'" -c ".read actions.sql" -c "SELECT type, count(*) FROM actions GROUP BY ALL"
-- Segments are named 0*.jsonl; other files of the directory, such as marks.jsonl and after-gap.jsonl, are not the log.
-- Values are in JSON columns: data->>'$.animalId', meta->>'$.actor'.
CREATE OR REPLACE VIEW actions AS
SELECT seq, time::TIMESTAMP AS time, type, data, meta, meta->>'$.actor' AS actor, synced, filename
FROM read_json(
  coalesce(getvariable('log'), '0*.jsonl'),
  format = 'newline_delimited',
  columns = {seq: 'BIGINT', time: 'VARCHAR', type: 'VARCHAR', synced: 'BIGINT', prev: 'VARCHAR', data: 'JSON', meta: 'JSON',
    crc: 'VARCHAR'},
  maximum_object_size = 16777216,
  filename = true)
WHERE NOT starts_with(type, '@');
