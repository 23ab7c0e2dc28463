//! The initial schema: owners, plans, keys, links, click counts and the change log.

use crate::step::Step;

/// Migration that creates the initial schema.
///
/// Timestamps are in milliseconds since the Unix epoch. Flags that the API shows, such as `has_qr`,
/// are the integers 0 and 1, as in JSON.
pub(crate) const STEP: Step =
    Step { name: "m1_0001_initial_schema", both: TABLES, sqlite: SQLITE, postgres: POSTGRES };

const TABLES: &[&str] = &[
    // A column that is null sets no limit. requests is a rate such as 20/s; burst is the number of
    // requests that it allows at once.
    "CREATE TABLE plans (
        name {name} PRIMARY KEY,
        max_links bigint,
        custom_codes boolean NOT NULL,
        requests text,
        burst bigint,
        links_per_day bigint
    ) {compact}",
    "INSERT INTO plans (name, max_links, custom_codes)
     VALUES ('free', 100, FALSE), ('pro', 10000, TRUE), ('unlimited', NULL, TRUE)",
    // suspended_reason is null unless the owner is suspended. link_count enforces the plan's limit
    // exactly, however many transactions run concurrently, because the transaction that creates a
    // link also increments it. created_today does the same for the limit per day: it counts the
    // links that the owner created on created_day, a number of days since the Unix epoch.
    "CREATE TABLE owners (
        id {id},
        name {name} NOT NULL UNIQUE,
        plan {name} NOT NULL REFERENCES plans (name),
        link_count bigint NOT NULL DEFAULT 0,
        created_day bigint NOT NULL DEFAULT 0,
        created_today bigint NOT NULL DEFAULT 0,
        suspended_reason text,
        created_at bigint NOT NULL
    )",
    "CREATE TABLE api_keys (
        id {id},
        owner_id bigint NOT NULL REFERENCES owners (id),
        hash {bytes} NOT NULL UNIQUE,
        label text,
        scope text NOT NULL,
        created_at bigint NOT NULL,
        expires_at bigint,
        revoked_at bigint,
        last_used_at bigint
    )",
    "CREATE INDEX api_keys_owner_id_idx ON api_keys (owner_id)",
    // disabled_reason is null unless the link is disabled. The QR settings are null until a client
    // sets them; the code of Terse contains the defaults. A deleted link keeps its row, so that its
    // code and identifier are never used again: its owner is null, its texts are erased, and
    // deleted_event names the event that deleted it. destination_host is the destination's host in
    // Punycode, without a trailing dot, by which operators find links. checksum, on SQLite, is that of
    // everything that decides a redirect.
    "CREATE TABLE links (
        id {id},
        owner_id {link_owner},
        short_code {name} NOT NULL UNIQUE,
        destination_url text NOT NULL,
        destination_host text NOT NULL,
        title text,
        campaign text,
        disabled_reason text,
        expires_at bigint,
        has_qr int NOT NULL DEFAULT 0,
        qr_error_correction text,
        qr_margin int,
        qr_foreground text,
        qr_background text,
        deleted_event bigint,
        created_at bigint NOT NULL{checksum}
    )",
    "CREATE INDEX links_owner_id_idx ON links (owner_id, id)",
    "CREATE INDEX links_owner_id_qr_idx ON links (owner_id, id) WHERE has_qr = 1",
    "CREATE INDEX links_owner_id_inactive_idx ON links (owner_id, id)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL",
    // For rollups, which discard the clicks of deleted links.
    "CREATE INDEX links_deleted_idx ON links (id) WHERE owner_id IS NULL",
    // Counts have a table of their own, so that a click rewrites only a small row without the
    // link's texts. A link without a row has no clicks. Of the count, closed clicks belong to a day
    // or to the opening balance, which are imported clicks and those of old days: opening and the
    // link's rows in click_days add up to closed.
    "CREATE TABLE click_counts (
        link_id {key},
        count bigint NOT NULL,
        opening bigint NOT NULL DEFAULT 0,
        closed bigint NOT NULL DEFAULT 0{proof}
    )",
    // Clicks by day, a number of days since the Unix epoch. The key begins with the day, so that the
    // close of a day appends to the table.
    "CREATE TABLE click_days (
        day bigint NOT NULL,
        link_id bigint NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (day, link_id)
    ) {compact}",
    // One row. All days up to closed_until are closed. closed_day is the last one of them to which
    // clicks were added: after a pause, days without a server have none. The next day to close is
    // closed_until + 1; position is the last link that its close has passed.
    "CREATE TABLE day_close (
        id {key},
        closed_day bigint NOT NULL,
        closed_until bigint NOT NULL,
        position bigint NOT NULL
    )",
    // The change log, by which instances invalidate their caches. Its numbers come from the counter
    // below, whose row lock puts them in the order of commits. A reader that has seen number N has
    // thus missed no lower number, which a sequence would not guarantee.
    "CREATE TABLE changes (
        number bigint PRIMARY KEY,
        kind text NOT NULL,
        subject text NOT NULL,
        changed_at bigint NOT NULL
    ) {compact}",
    "CREATE TABLE change_counter (
        id {key},
        number bigint NOT NULL
    )",
    "INSERT INTO change_counter (id, number) VALUES (1, 0)",
    // The sequence number of each producer's last batch. By it, the database recognises a batch
    // that arrives again, from the producer or from its spool file, because its commit was not
    // confirmed.
    "CREATE TABLE click_writers (
        producer_id {key},
        sequence bigint NOT NULL
    )",
    // One row. The secret encrypts cursors and derives the codes of imported rows. Copies of the
    // database have the same secret.
    "CREATE TABLE installation (
        id {key},
        secret text NOT NULL
    )",
    // The data of responses to requests with an Idempotency-Key. The fingerprint is a SHA-256 hash
    // of the request.
    "CREATE TABLE idempotency_keys (
        id {id},
        owner_id {owner},
        key {name} NOT NULL,
        fingerprint {bytes} NOT NULL,
        short_code {name} NOT NULL,
        base_url text NOT NULL,
        created_at bigint NOT NULL,
        UNIQUE (owner_id, key)
    )",
    "CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at)",
    // The events: what operators changed. The owner's name is stored here too, because it must stay
    // after the owner is deleted.
    "CREATE TABLE events (
        id {id},
        at bigint NOT NULL,
        actor text NOT NULL,
        action text NOT NULL,
        subject text NOT NULL,
        owner_id bigint,
        owner text,
        reason text NOT NULL,
        note text,
        case_id text,
        changed bigint NOT NULL
    )",
    // What an event changed in each link, owner or pattern: the changed fields before and after the
    // event, as JSON objects. The deletion of a link erases both.
    "CREATE TABLE event_changes (
        id {id},
        event_id bigint NOT NULL,
        kind text NOT NULL,
        subject {name} NOT NULL,
        before text,
        after text
    )",
    "CREATE INDEX event_changes_event_id_idx ON event_changes (event_id)",
    "CREATE INDEX event_changes_subject_idx ON event_changes (kind, subject, event_id)",
    // The operator's own patterns.
    "CREATE TABLE block_patterns (
        pattern {name} PRIMARY KEY,
        action text NOT NULL,
        reason text NOT NULL,
        until bigint,
        event_id bigint NOT NULL
    ) {compact}",
    // Imported lists of patterns. Only the parts of the imports named here are in force. Parts of
    // any other import are still being stored, or are being deleted.
    "CREATE TABLE block_lists (
        source {name} PRIMARY KEY,
        import_id bigint NOT NULL,
        reason text NOT NULL,
        patterns bigint NOT NULL,
        event_id bigint NOT NULL
    ) {compact}",
    // A part has many patterns, one per line, in the order of their bytes. The identifier of an
    // import consists of its start time and random bits, because its event exists only at its end.
    "CREATE TABLE block_list_parts (
        import_id bigint NOT NULL,
        part int NOT NULL,
        patterns text NOT NULL,
        PRIMARY KEY (import_id, part)
    )",
];

const SQLITE: &[&str] = &[
    "INSERT INTO installation (id, secret) VALUES (1, lower(hex(randomblob(16))))",
    "INSERT INTO day_close (id, closed_day, closed_until, position)
     SELECT 1, yesterday, yesterday, 0
     FROM (SELECT CAST(julianday('now') - 2440587.5 AS integer) - 1 AS yesterday)",
    // SQLite appends the rowid, which is the link's identifier, to each index entry.
    "CREATE INDEX links_owner_id_campaign_idx ON links (owner_id, campaign)
     WHERE campaign IS NOT NULL",
    "CREATE INDEX links_owner_id_campaign_qr_idx ON links (owner_id, campaign) WHERE has_qr = 1",
    "CREATE INDEX links_owner_id_campaign_inactive_idx ON links (owner_id, campaign)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL",
    // The table has no foreign key and no further index, because every batch of clicks inserts
    // rows.
    "CREATE TABLE pending_clicks (
        id {key},
        link_id bigint NOT NULL,
        count bigint NOT NULL{proof}
    )",
    // Clicks that rollups have added to a link since the last merge into click_counts. SQLite
    // writes whole pages, and this small table limits the number of changed pages, however many
    // links exist.
    "CREATE TABLE recent_counts (
        link_id {key},
        count bigint NOT NULL{proof}
    )",
    // Number of rollups. If it has changed, another process has moved the rows that a rollup read.
    "CREATE TABLE rollup_counter (
        id {key},
        number bigint NOT NULL
    )",
    "INSERT INTO rollup_counter (id, number) VALUES (1, 0)",
    // An operator who changes a link by hand has no function for the checksum. Terse sets it after
    // each of its own changes.
    "CREATE TRIGGER links_forget_checksum
     AFTER UPDATE OF short_code, owner_id, destination_url, disabled_reason, expires_at ON links
     WHEN NEW.checksum IS OLD.checksum BEGIN
         UPDATE links SET checksum = NULL WHERE id = NEW.id;
     END",
    // Deletes the clicks of a link and invalidates all caches, even if an operator deletes the row
    // by hand.
    "CREATE TRIGGER links_delete_clicks AFTER DELETE ON links BEGIN
        DELETE FROM click_counts WHERE link_id = OLD.id;
        DELETE FROM recent_counts WHERE link_id = OLD.id;
        DELETE FROM click_days WHERE link_id = OLD.id AND day IN (
            WITH RECURSIVE days (day) AS (
                SELECT MIN(day) FROM click_days
                UNION ALL
                SELECT (SELECT MIN(day) FROM click_days WHERE click_days.day > days.day)
                FROM days WHERE days.day IS NOT NULL
            )
            SELECT day FROM days WHERE day IS NOT NULL);
        UPDATE change_counter SET number = number + 1 WHERE id = 1;
        INSERT INTO changes (number, kind, subject, changed_at)
        SELECT number, 'link', OLD.short_code,
            CAST((julianday('now') - 2440587.5) * 86400000 AS integer)
        FROM change_counter WHERE id = 1;
    END",
];

const POSTGRES: &[&str] = &[
    "INSERT INTO installation (id, secret)
     VALUES (1, replace(gen_random_uuid()::text, '-', ''))",
    "INSERT INTO day_close (id, closed_day, closed_until, position)
     SELECT 1, yesterday, yesterday, 0
     FROM (SELECT CAST(floor(extract(epoch FROM clock_timestamp()) / 86400) AS bigint) - 1
               AS yesterday) AS days",
    // PostgreSQL merges equal index entries into one entry with a list of rows. With the whole
    // identifier, no two entries would be equal, and the index would be six times as large.
    "CREATE INDEX links_owner_id_campaign_idx ON links (owner_id, campaign, (id >> 10))
     WHERE campaign IS NOT NULL",
    "CREATE INDEX links_owner_id_campaign_qr_idx ON links (owner_id, campaign, id)
     WHERE has_qr = 1",
    "CREATE INDEX links_owner_id_campaign_inactive_idx ON links (owner_id, campaign, id)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL",
    // The table has one row per batch, because each row costs a header, an index entry, log records
    // and vacuuming.
    "CREATE TABLE pending_click_batches (
        id {id},
        link_ids bigint[] NOT NULL,
        counts bigint[] NOT NULL
    )",
    // Keeps arrays in the page of their row, uncompressed, if they fit.
    "ALTER TABLE pending_click_batches
         ALTER link_ids SET STORAGE EXTERNAL, ALTER counts SET STORAGE EXTERNAL,
         SET (toast_tuple_target = 8160)",
    // Rollups empty the table all the time, so autovacuum must run soon and at full speed.
    "ALTER TABLE pending_click_batches SET (
        autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0
    )",
    "CREATE VIEW pending_clicks AS
         SELECT id, link_id, count
         FROM pending_click_batches, unnest(link_ids, counts) AS batch (link_id, count)",
    // An empty view, so that the same queries run on both databases.
    "CREATE VIEW recent_counts AS SELECT link_id, count FROM click_counts WHERE FALSE",
    // Leaves room in each page for updated rows. Few rows of a page change between two vacuums.
    "ALTER TABLE click_writers SET (fillfactor = 50)",
    "ALTER TABLE click_counts SET (fillfactor = 90)",
    // Replaces foreign keys from links and idempotency_keys to owners. Creations lock the row of
    // their owner anyway.
    "CREATE FUNCTION owners_restrict_delete() RETURNS trigger LANGUAGE plpgsql
     SET search_path FROM CURRENT AS $$
     BEGIN
         IF EXISTS (SELECT FROM links WHERE owner_id = OLD.id) THEN
             RAISE foreign_key_violation USING MESSAGE = format('owner %s has links', OLD.id);
         END IF;
         RETURN OLD;
     END
     $$",
    "CREATE TRIGGER owners_restrict_delete BEFORE DELETE ON owners
     FOR EACH ROW EXECUTE FUNCTION owners_restrict_delete()",
    // Deletes the clicks of a link and invalidates all caches, even if an operator deletes the row
    // by hand.
    "CREATE FUNCTION links_delete_clicks() RETURNS trigger LANGUAGE plpgsql
     SET search_path FROM CURRENT AS $$
     BEGIN
         DELETE FROM click_counts WHERE link_id = OLD.id;
         DELETE FROM click_days WHERE link_id = OLD.id AND day = ANY (ARRAY(
            WITH RECURSIVE days (day) AS (
                SELECT MIN(day) FROM click_days
                UNION ALL
                SELECT (SELECT MIN(day) FROM click_days WHERE click_days.day > days.day)
                FROM days WHERE days.day IS NOT NULL
            )
            SELECT day FROM days WHERE day IS NOT NULL));
         UPDATE change_counter SET number = number + 1 WHERE id = 1;
         INSERT INTO changes (number, kind, subject, changed_at)
         SELECT number, 'link', OLD.short_code,
             CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)
         FROM change_counter WHERE id = 1;
         RETURN NULL;
     END
     $$",
    "CREATE TRIGGER links_delete_clicks AFTER DELETE ON links
     FOR EACH ROW EXECUTE FUNCTION links_delete_clicks()",
];
