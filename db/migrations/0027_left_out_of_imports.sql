-- What an import did not take from its file: columns by name, blank lines, further phones. Null for imports of earlier versions.
alter table contact_import add column left_out jsonb;
