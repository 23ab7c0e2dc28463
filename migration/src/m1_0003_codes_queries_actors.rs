//! Which kinds of codes exist, codes that answer in any letter case, the query of a request in a
//! redirect, a destination for visitors of an owner's expired links, and actors of events that are
//! not people or programs at a shell.

use crate::step::Step;

/// Migration that adds the kinds of codes and the folded codes, `forward_query` to links,
/// `fallback_url` to owners, and the type and identifier of the actor to events.
pub(crate) const STEP: Step =
    Step { name: "m1_0003_codes_queries_actors", both: TABLES, sqlite: SQLITE, postgres: POSTGRES };

const TABLES: &[&str] = &[
    // The kinds of codes that links have or had besides narrow ones: wide and folded. Without them,
    // an instance need not look up a path that cannot be a narrow code.
    "CREATE TABLE code_kinds (
        kind {name} PRIMARY KEY
    ) {compact}",
    // Codes in any letter case, for the links that an import with --ignore-case created. The row of
    // a deleted link stays, as its code does.
    "CREATE TABLE folded_codes (
        link_id {key},
        folded {name} NOT NULL UNIQUE
    )",
    "ALTER TABLE links ADD COLUMN forward_query int NOT NULL DEFAULT 0",
    "ALTER TABLE owners ADD COLUMN fallback_url text",
    // Both are null for commands. The identifier is that of the key.
    "ALTER TABLE events ADD COLUMN actor_type text",
    "ALTER TABLE events ADD COLUMN actor_id bigint",
];

const SQLITE: &[&str] = &[
    // The checksum covers the new column.
    "DROP TRIGGER links_forget_checksum",
    "CREATE TRIGGER links_forget_checksum
     AFTER UPDATE OF short_code, owner_id, destination_url, disabled_reason, expires_at, fallback_url,
         forward_query
     ON links
     WHEN NEW.checksum IS OLD.checksum BEGIN
         UPDATE links SET checksum = NULL WHERE id = NEW.id;
     END",
    "CREATE TRIGGER code_kinds_publish AFTER INSERT ON code_kinds BEGIN
        UPDATE change_counter SET number = number + 1 WHERE id = 1;
        INSERT INTO changes (number, kind, subject, changed_at)
        SELECT number, 'codes', NEW.kind,
            CAST((julianday('now') - 2440587.5) * 86400000 AS integer)
        FROM change_counter WHERE id = 1;
    END",
    "CREATE TRIGGER links_delete_folded AFTER DELETE ON links BEGIN
        DELETE FROM folded_codes WHERE link_id = OLD.id;
    END",
];

const POSTGRES: &[&str] = &[
    "CREATE FUNCTION code_kinds_publish() RETURNS trigger LANGUAGE plpgsql
     SET search_path FROM CURRENT AS $$
     BEGIN
         UPDATE change_counter SET number = number + 1 WHERE id = 1;
         INSERT INTO changes (number, kind, subject, changed_at)
         SELECT number, 'codes', NEW.kind,
             CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)
         FROM change_counter WHERE id = 1;
         RETURN NULL;
     END
     $$",
    "CREATE TRIGGER code_kinds_publish AFTER INSERT ON code_kinds
     FOR EACH ROW EXECUTE FUNCTION code_kinds_publish()",
    "CREATE FUNCTION links_delete_folded() RETURNS trigger LANGUAGE plpgsql
     SET search_path FROM CURRENT AS $$
     BEGIN
         DELETE FROM folded_codes WHERE link_id = OLD.id;
         RETURN NULL;
     END
     $$",
    "CREATE TRIGGER links_delete_folded AFTER DELETE ON links
     FOR EACH ROW EXECUTE FUNCTION links_delete_folded()",
];
