PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE "seaql_migrations" ( "version" varchar NOT NULL PRIMARY KEY, "applied_at" integer NOT NULL );
CREATE TABLE plans (
        name text PRIMARY KEY,
        max_links bigint,
        custom_codes boolean NOT NULL,
        requests text,
        burst bigint,
        links_per_day bigint
    ) WITHOUT ROWID;
CREATE TABLE owners (
        id integer PRIMARY KEY AUTOINCREMENT,
        name text NOT NULL UNIQUE,
        plan text NOT NULL REFERENCES plans (name),
        link_count bigint NOT NULL DEFAULT 0,
        created_day bigint NOT NULL DEFAULT 0,
        created_today bigint NOT NULL DEFAULT 0,
        suspended_reason text,
        created_at bigint NOT NULL
    );
CREATE TABLE api_keys (
        id integer PRIMARY KEY AUTOINCREMENT,
        owner_id bigint NOT NULL REFERENCES owners (id),
        hash blob NOT NULL UNIQUE,
        label text,
        scope text NOT NULL,
        created_at bigint NOT NULL,
        expires_at bigint,
        revoked_at bigint,
        last_used_at bigint
    );
CREATE TABLE links (
        id integer PRIMARY KEY AUTOINCREMENT,
        owner_id bigint REFERENCES owners (id),
        short_code text NOT NULL UNIQUE,
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
        created_at bigint NOT NULL, checksum bigint
    , fallback_url text);
CREATE TABLE click_counts (
        link_id integer PRIMARY KEY,
        count bigint NOT NULL,
        opening bigint NOT NULL DEFAULT 0,
        closed bigint NOT NULL DEFAULT 0,
        proof bigint GENERATED ALWAYS AS ((link_id * 31 + count) % 65521) STORED,
        CHECK (proof = (link_id * 31 + count) % 65521)
    );
CREATE TABLE click_days (
        day bigint NOT NULL,
        link_id bigint NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (day, link_id)
    ) WITHOUT ROWID;
CREATE TABLE day_close (
        id integer PRIMARY KEY,
        closed_day bigint NOT NULL,
        closed_until bigint NOT NULL,
        position bigint NOT NULL
    );
CREATE TABLE changes (
        number bigint PRIMARY KEY,
        kind text NOT NULL,
        subject text NOT NULL,
        changed_at bigint NOT NULL
    ) WITHOUT ROWID;
CREATE TABLE change_counter (
        id integer PRIMARY KEY,
        number bigint NOT NULL
    );
CREATE TABLE click_writers (
        producer_id integer PRIMARY KEY,
        sequence bigint NOT NULL
    );
CREATE TABLE installation (
        id integer PRIMARY KEY,
        secret text NOT NULL
    );
CREATE TABLE idempotency_keys (
        id integer PRIMARY KEY AUTOINCREMENT,
        owner_id bigint NOT NULL REFERENCES owners (id),
        key text NOT NULL,
        fingerprint blob NOT NULL,
        short_code text NOT NULL,
        base_url text NOT NULL,
        created_at bigint NOT NULL,
        UNIQUE (owner_id, key)
    );
CREATE TABLE events (
        id integer PRIMARY KEY AUTOINCREMENT,
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
    );
CREATE TABLE event_changes (
        id integer PRIMARY KEY AUTOINCREMENT,
        event_id bigint NOT NULL,
        kind text NOT NULL,
        subject text NOT NULL,
        before text,
        after text
    );
CREATE TABLE block_patterns (
        pattern text PRIMARY KEY,
        action text NOT NULL,
        reason text NOT NULL,
        until bigint,
        event_id bigint NOT NULL
    ) WITHOUT ROWID;
CREATE TABLE block_lists (
        source text PRIMARY KEY,
        import_id bigint NOT NULL,
        reason text NOT NULL,
        patterns bigint NOT NULL,
        event_id bigint NOT NULL
    ) WITHOUT ROWID;
CREATE TABLE block_list_parts (
        import_id bigint NOT NULL,
        part int NOT NULL,
        patterns text NOT NULL,
        PRIMARY KEY (import_id, part)
    );
CREATE TABLE pending_clicks (
        id integer PRIMARY KEY,
        link_id bigint NOT NULL,
        count bigint NOT NULL,
        proof bigint GENERATED ALWAYS AS ((link_id * 31 + count) % 65521) STORED,
        CHECK (proof = (link_id * 31 + count) % 65521)
    );
CREATE TABLE recent_counts (
        link_id integer PRIMARY KEY,
        count bigint NOT NULL,
        proof bigint GENERATED ALWAYS AS ((link_id * 31 + count) % 65521) STORED,
        CHECK (proof = (link_id * 31 + count) % 65521)
    );
CREATE TABLE rollup_counter (
        id integer PRIMARY KEY,
        number bigint NOT NULL
    );
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (1, 1, X'04E906E97B7E203C58C5D358E46D9A91146E0A56B0BAB0CBDF2FE4F02B040FE0', NULL, 'full', 1795705519404, NULL, NULL, 1795705519705);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (10, 2, X'12F118F200DB86C7C023CC9B40F3D597A431616767EF30B034C4DD34095FF3FA', 'leaked', 'full', 1795705519633, NULL, 1795705519673, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (2, 2, X'AEF2D1ED67D1FFA26607B664A23DD0FC769F0E3B2C48DDBD6282AE6332149D15', NULL, 'full', 1795705519489, NULL, NULL, 1795705519744);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (3, 3, X'B8A91138FD1F6B7F236AA6C14498F1D9EA6716E7E0D37243D9AC99C82FF980E7', NULL, 'full', 1795705519516, NULL, NULL, 1795705519752);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (4, 4, X'C15187124F0160EFB3B326D13BA963DF274ECEF469F6AE3343236F397F8CB343', NULL, 'full', 1795705519537, NULL, NULL, 1795705519757);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (6, 2, X'0BDA478F2896858ABBB623A04379B45444AD2CE15AE311664E25E0F338830F08', 'read', 'read', 1795705519568, NULL, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (7, 2, X'3A46877624F46099F081D45ED5F953E40D292DAA715DB22CDEADF8AED59666EE', 'create', 'create', 1795705519589, NULL, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (8, 2, X'6710182A0B4036DE499ACF7D98DF6E3621EF57E073D4C1DCA1A696657CC8AA35', 'lasting', 'full', 1795705519600, 4102444800000, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (9, 2, X'4B724CF30B8A2BB5EDBD6AE0C24BDA2986112EC5153F134192F6C35CA4B47FC6', 'past', 'full', 1795705519619, 1769904000000, NULL, NULL);
INSERT INTO block_list_parts (import_id, part, patterns) VALUES (1882933722947666703, 0, 'ads.example
tracker.example/pixel');
INSERT INTO block_lists (source, import_id, reason, patterns, event_id) VALUES ('list', 1882933722947666703, 'other', 2, 27);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('evil.example', 'block', 'malware', NULL, 22);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('temporary.example', 'block', 'other', 4102444800000, 23);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('www.evil.example/good', 'allow', 'other', NULL, 24);
INSERT INTO change_counter (id, number) VALUES (1, 21);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (1, 'keys', '', 1795705519673);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (10, 'owner', '5', 1795705530898);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (11, 'link', 'left', 1795705530912);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (12, 'keys', '', 1795705530939);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (13, 'owner', '5', 1795705530953);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (14, 'blocks', '', 1795705530973);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (15, 'blocks', '', 1795705530997);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (16, 'blocks', '', 1795705531017);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (17, 'blocks', '', 1795705531037);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (18, 'blocks', '', 1795705531051);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (19, 'blocks', '', 1795705531070);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (2, 'keys', '', 1795705519701);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (20, 'link', 'plain', 1795705531093);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (21, 'link', 'plain', 1795705531113);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (3, 'link', 'notice', 1795705530721);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (4, 'link', '-dash_', 1795705530751);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (5, 'link', 'edited', 1795705530777);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (6, 'link', 'edited', 1795705530805);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (7, 'link', 'retired', 1795705530825);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (8, 'owner', '4', 1795705530849);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (9, 'owner', '3', 1795705530869);
INSERT INTO click_counts (link_id, count, opening, closed) VALUES (1, 6, 0, 6);
INSERT INTO click_counts (link_id, count, opening, closed) VALUES (17, 9007199254740997, 9007199254740991, 9007199254740997);
INSERT INTO click_counts (link_id, count, opening, closed) VALUES (18, 3, 3, 3);
INSERT INTO click_counts (link_id, count, opening, closed) VALUES (2, 6, 0, 6);
INSERT INTO click_days (day, link_id, count) VALUES (20749, 1, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20749, 17, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20749, 2, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20750, 1, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20750, 17, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20750, 2, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20753, 1, 3);
INSERT INTO click_days (day, link_id, count) VALUES (20753, 17, 3);
INSERT INTO click_days (day, link_id, count) VALUES (20753, 2, 3);
INSERT INTO click_writers (producer_id, sequence) VALUES (5412032254108745290, 2);
INSERT INTO day_close (id, closed_day, closed_until, position) VALUES (1, 20753, 20782, 0);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (1, 14, 'link', '5', '{"disabled_reason":null}', '{"disabled_reason":"legal"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (10, 24, 'block', 'www.evil.example/good', 'null', '{"action":"allow","reason":"other","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (11, 25, 'block', 'removed.example', 'null', '{"action":"block","reason":"other","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (12, 26, 'block', 'removed.example', '{"action":"block","reason":"other","until":null}', 'null');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (13, 28, 'link', '1', '{"disabled_reason":null}', '{"disabled_reason":"other"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (14, 29, 'link', '1', '{"disabled_reason":"other"}', '{"disabled_reason":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (2, 15, 'link', '6', '{"disabled_reason":null}', '{"disabled_reason":"phishing"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (3, 16, 'link', '4', '{"destination_url":"https://example.org/before"}', '{"destination_url":"https://example.org/after"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (4, 17, 'link', '4', '{"title":"Before","campaign":null,"expires_at":null}', '{"title":null,"campaign":"autumn","expires_at":4102444800000}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (5, 19, 'owner', '4', '{"suspended_reason":null}', '{"suspended_reason":"spam"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (6, 20, 'owner', '3', '{"name":"büro"}', '{"name":"Büro & Söhne"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (7, 21, 'owner', '5', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (8, 22, 'block', 'evil.example', 'null', '{"action":"block","reason":"malware","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (9, 23, 'block', 'temporary.example', 'null', '{"action":"block","reason":"other","until":4102444800000}');
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (1, 1795705519449, 'alice', 'plan add', 'gold', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (10, 1795705519619, 'alice', 'key add', '9', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (11, 1795705519633, 'alice', 'key add', '10', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (12, 1795705519673, 'alice', 'key revoke', '10', 2, 'acme', 'other', 'seen in a log', NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (13, 1795705519701, 'alice', 'key expire', '9', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (14, 1795705530721, 'alice', 'link disable', 'notice', 2, 'acme', 'legal', 'Anzeige vom 1. März', '4711', 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (15, 1795705530751, 'alice', 'link disable', '-dash_', 2, 'acme', 'phishing', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (16, 1795705530777, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (17, 1795705530805, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (18, 1795705530825, 'alice', 'link delete', 'retired', 2, 'acme', 'owner-request', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (19, 1795705530849, 'alice', 'owner suspend', 'spammer', 4, 'spammer', 'spam', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (2, 1795705519471, 'alice', 'plan add', 'basic', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (20, 1795705530869, 'alice', 'owner rename', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (21, 1795705530898, 'alice', 'owner delete', 'leaving', 5, 'leaving', 'other', NULL, NULL, 3);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (22, 1795705530973, 'alice', 'block add', 'evil.example', NULL, NULL, 'malware', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (23, 1795705530997, 'alice', 'block add', 'temporary.example', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (24, 1795705531017, 'alice', 'block allow', 'www.evil.example/good', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (25, 1795705531037, 'alice', 'block add', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (26, 1795705531051, 'alice', 'block remove', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (27, 1795705531070, 'alice', 'block import', 'list', NULL, NULL, 'other', NULL, NULL, 2);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (28, 1795705531093, 'alice', 'link disable', 'plain', 1, 'default', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (29, 1795705531113, 'alice', 'undo', '28', 1, 'default', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (3, 1795705519489, 'alice', 'owner add', 'acme', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (4, 1795705519516, 'alice', 'owner add', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (5, 1795705519537, 'alice', 'owner add', 'spammer', 4, 'spammer', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (6, 1795705519551, 'alice', 'owner add', 'leaving', 5, 'leaving', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (7, 1795705519568, 'alice', 'key add', '6', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (8, 1795705519589, 'alice', 'key add', '7', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (9, 1795705519600, 'alice', 'key add', '8', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at) VALUES (1, 1, 'once', X'CCEC0AE9FDE1F0E5E2D421B8DFAC110C6719E5AD0AB9676E7B83AB3AA5CF7B5F', 'once', 'http://127.0.0.1:43137', 4102444800000);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at) VALUES (2, 1, 'short-lived', X'2F1DCCBEF47CE339DC57002CA75B617BDFF128A70E81B88E9B3105AF30FF48DA', 'short-lived', 'http://127.0.0.1:43137', 1795705519761);
INSERT INTO installation (id, secret) VALUES (1, 'fb7573a330d309c3236055dc928624c1');
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (1, 1, 'plain', 'http://192.0.2.1:8080/a%20b?c=d&e#f', '192.0.2.1', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795705519706, 717233175, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (10, 3, 'blocked', 'https://www.evil.example/login', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795705519754, -1155042429, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (11, 3, 'excepted', 'https://www.evil.example/good/', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795705519755, -662879558, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (12, 3, 'listed', 'https://ads.example/', 'ads.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795705519756, -1894700989, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (13, 4, 'spam', 'https://spam.example/', 'spam.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795705519757, 2139682089, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (14, NULL, 'left', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 21, 1795705519758, -931394136, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (15, 1, 'once', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795705519760, -1522279255, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (16, 1, 'short-lived', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795705519761, -2003662983, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (17, 2, 'imported', 'https://example.net/', 'example.net', 'Imported', 'old', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, 1583020799000, 1043845230, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (18, 2, 'expired', 'https://example.net/expired', 'example.net', NULL, NULL, NULL, 1609459200000, 0, NULL, NULL, NULL, NULL, NULL, 1577836800000, -1357024032, 'https://example.net/ended');
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (19, 2, 'off', 'https://example.net/off', 'example.net', NULL, NULL, 'other', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795705519777, 1546378810, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (2, 2, 'spring', 'https://example.org/spring', 'example.org', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795705519745, 872658163, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (3, 2, 'lasting', 'https://example.org/', 'example.org', NULL, NULL, NULL, 4102444800000, 1, 'H', 6, '#000080', '#ffffee', NULL, 1795705519747, -1807975742, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (4, 2, 'edited', 'https://example.org/after', 'example.org', NULL, 'autumn', NULL, 4102444800000, 0, NULL, NULL, NULL, NULL, NULL, 1795705519748, -348534547, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (5, 2, 'notice', 'https://example.org/notice', 'example.org', NULL, NULL, 'legal', NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795705519749, -158249184, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (6, 2, '-dash_', 'https://example.org/dash', 'example.org', NULL, NULL, 'phishing', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795705519750, -648860276, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (7, NULL, 'retired', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 18, 1795705519751, 1294449377, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (8, 3, 'unicode', 'https://münchen.example/ä b?ü=ö', 'xn--mnchen-3ya.example', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795705519752, -4128349, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url) VALUES (9, 3, 'punycode', 'HTTPS://user@xn--mnchen-3ya.EXAMPLE./', 'xn--mnchen-3ya.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795705519753, -805824310, NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at) VALUES (1, 'default', 'unlimited', 3, 20783, 3, NULL, 1795705519404);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at) VALUES (2, 'acme', 'gold', 8, 20783, 6, NULL, 1795705519489);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at) VALUES (3, 'Büro & Söhne', 'pro', 5, 20783, 5, NULL, 1795705519516);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at) VALUES (4, 'spammer', 'unlimited', 1, 20783, 1, 'spam', 1795705519537);
INSERT INTO pending_clicks (id, link_id, count) VALUES (1, 1, 1);
INSERT INTO pending_clicks (id, link_id, count) VALUES (2, 2, 1);
INSERT INTO pending_clicks (id, link_id, count) VALUES (3, 1, 1);
INSERT INTO plans (name, max_links, custom_codes, requests, burst, links_per_day) VALUES ('basic', NULL, 0, NULL, NULL, NULL);
INSERT INTO plans (name, max_links, custom_codes, requests, burst, links_per_day) VALUES ('free', 100, 0, NULL, NULL, NULL);
INSERT INTO plans (name, max_links, custom_codes, requests, burst, links_per_day) VALUES ('gold', 500, 1, '1000/s', 2000, 1000);
INSERT INTO plans (name, max_links, custom_codes, requests, burst, links_per_day) VALUES ('pro', 10000, 1, NULL, NULL, NULL);
INSERT INTO plans (name, max_links, custom_codes, requests, burst, links_per_day) VALUES ('unlimited', NULL, 1, NULL, NULL, NULL);
INSERT INTO recent_counts (link_id, count) VALUES (2, 2);
INSERT INTO rollup_counter (id, number) VALUES (1, 4);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0001_initial_schema', 1795705519);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0002_link_fallback', 1795705519);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES ('api_keys', 10);
INSERT INTO sqlite_sequence (name, seq) VALUES ('event_changes', 14);
INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 29);
INSERT INTO sqlite_sequence (name, seq) VALUES ('idempotency_keys', 2);
INSERT INTO sqlite_sequence (name, seq) VALUES ('links', 19);
INSERT INTO sqlite_sequence (name, seq) VALUES ('owners', 5);
CREATE INDEX api_keys_owner_id_idx ON api_keys (owner_id);
CREATE INDEX links_owner_id_idx ON links (owner_id, id);
CREATE INDEX links_owner_id_qr_idx ON links (owner_id, id) WHERE has_qr = 1;
CREATE INDEX links_owner_id_inactive_idx ON links (owner_id, id)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL;
CREATE INDEX links_deleted_idx ON links (id) WHERE owner_id IS NULL;
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at);
CREATE INDEX event_changes_event_id_idx ON event_changes (event_id);
CREATE INDEX event_changes_subject_idx ON event_changes (kind, subject, event_id);
CREATE INDEX links_owner_id_campaign_idx ON links (owner_id, campaign)
     WHERE campaign IS NOT NULL;
CREATE INDEX links_owner_id_campaign_qr_idx ON links (owner_id, campaign) WHERE has_qr = 1;
CREATE INDEX links_owner_id_campaign_inactive_idx ON links (owner_id, campaign)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL;
CREATE TRIGGER links_delete_clicks AFTER DELETE ON links BEGIN
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
    END;
CREATE TRIGGER links_forget_checksum
     AFTER UPDATE OF short_code, owner_id, destination_url, disabled_reason, expires_at, fallback_url
     ON links
     WHEN NEW.checksum IS OLD.checksum BEGIN
         UPDATE links SET checksum = NULL WHERE id = NEW.id;
     END;
COMMIT;
