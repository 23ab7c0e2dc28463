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
    , fallback_url text, created_month bigint NOT NULL DEFAULT 0, created_in_month bigint NOT NULL DEFAULT 0, suspended_at bigint);
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
    , hint text);
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
    , fallback_url text, forward_query int NOT NULL DEFAULT 0, is_paused int NOT NULL DEFAULT 0);
CREATE TABLE click_counts (
        link_id integer PRIMARY KEY,
        count bigint NOT NULL,
        opening bigint NOT NULL DEFAULT 0,
        closed bigint NOT NULL DEFAULT 0,
        proof bigint GENERATED ALWAYS AS ((link_id * 31 + count) % 65521) STORED, is_open boolean NOT NULL DEFAULT FALSE,
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
    , open_month bigint NOT NULL DEFAULT 0);
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
    , actor_type text, actor_id bigint, status text, finished_at bigint, instance_id bigint, skipped text, skipped_count bigint);
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
CREATE TABLE code_kinds (
        kind text PRIMARY KEY
    ) WITHOUT ROWID;
CREATE TABLE folded_codes (
        link_id integer PRIMARY KEY,
        folded text NOT NULL UNIQUE
    );
CREATE TABLE "idempotency_keys" (
        id integer PRIMARY KEY AUTOINCREMENT,
        owner_id bigint NOT NULL,
        key text NOT NULL,
        fingerprint blob NOT NULL,
        short_code text NOT NULL,
        base_url text NOT NULL,
        created_at bigint NOT NULL,
        api_key_id bigint,
        nonce blob, origin text, event_id bigint,
        UNIQUE (owner_id, key)
    );
CREATE TABLE operator_keys (
        id integer PRIMARY KEY AUTOINCREMENT,
        name text NOT NULL,
        hash blob NOT NULL UNIQUE,
        role text NOT NULL,
        created_at bigint NOT NULL,
        revoked_at bigint,
        last_used_at bigint
    , hint text, expires_at bigint);
CREATE TABLE usage_months (
        month bigint NOT NULL,
        owner_id bigint NOT NULL,
        owner text,
        requests bigint NOT NULL DEFAULT 0,
        links_created bigint NOT NULL DEFAULT 0,
        links bigint,
        clicks bigint NOT NULL DEFAULT 0, links_deleted bigint,
        PRIMARY KEY (month, owner_id)
    ) WITHOUT ROWID;
CREATE TABLE click_months (
        month bigint NOT NULL,
        owner_id bigint NOT NULL,
        link_id bigint NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (month, owner_id, link_id)
    ) WITHOUT ROWID;
CREATE TABLE usage_requests (
        month bigint NOT NULL,
        owner_id bigint NOT NULL,
        instance_id bigint NOT NULL,
        requests bigint NOT NULL,
        PRIMARY KEY (month, owner_id, instance_id)
    ) WITHOUT ROWID;
CREATE TABLE domains (
        host text PRIMARY KEY,
        owner_id bigint NOT NULL REFERENCES owners (id) ON DELETE CASCADE,
        home_url text,
        default_at bigint,
        created_at bigint NOT NULL
    ) WITHOUT ROWID;
CREATE TABLE instances (
        id integer PRIMARY KEY,
        kind text NOT NULL,
        version text NOT NULL,
        started_at bigint NOT NULL,
        seen_at bigint NOT NULL
    );
CREATE TABLE deleted_click_days (
            day bigint NOT NULL,
            owner_id bigint NOT NULL,
            clicks bigint NOT NULL,
            PRIMARY KEY (day, owner_id)
        );
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (1, 1, X'23F809C89C8D476520A8C906962456E4B1D05F4032779CF46F4ED1E08A6BA36B', NULL, 'manage', 1795893046147, NULL, NULL, 1795893046604, 'dM0p');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (10, 2, X'D6C70B442922CBAEA10C0C9865BEBC3E3799332DBA023A4FF16740EB0A0B44A4', 'leaked', 'full', 1795893046511, NULL, 1795893046559, NULL, 'Y3ld');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (11, 1, X'92586EB1779FE4E1F50E5D0527B66A48605D6BA899BBE541A25A67E26A80E0C3', 'derived', 'read', 1795893058285, NULL, NULL, NULL, 'lnLt');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (2, 2, X'DDF04EF1D0001C56498172C8B06E2D994DA03125968BB527219B98DE16A6B9B9', NULL, 'manage', 1795893046371, NULL, NULL, 1795893046972, 'R4Ha');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (3, 3, X'79E2C687A53475CA1A114DF4D13316CA8B8648D0D4311EA8D6BDA7B7147ADE56', NULL, 'manage', 1795893046395, NULL, NULL, 1795893047015, 'hRlH');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (4, 4, X'F881EA0A52F8F3533F4DCCA33D34716A4C577662C8216ACE47F838BBE7AA7E0F', NULL, 'manage', 1795893046411, NULL, NULL, 1795893047063, 'ZX6h');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (6, 2, X'8B56C14D644716F2511C3C0BB660F7BDF3983246BB7713CFA60CFD3E5A6E4B7A', 'read', 'read', 1795893046445, NULL, NULL, NULL, '381F');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (7, 2, X'57EEDEB9D6D8BAB3BDEE70BE157AF2FEBC2D6FDBBEB79472EE593602CCA65CD2', 'create', 'create', 1795893046461, NULL, NULL, NULL, 's54A');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (8, 2, X'AFCB38252A21DDCC3A7762063CD445BE80BC638736C778E471C81A6A79AC1566', 'lasting', 'manage', 1795893046475, 4102444800000, NULL, NULL, 'jd8C');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (9, 2, X'AC73914C73753BFC5C82732EE143DF8F91F1E7F94A3542EFDBCE6A9C879FDB05', 'past', 'manage', 1795893046489, 1769904000000, NULL, NULL, 't27Q');
INSERT INTO block_list_parts (import_id, part, patterns) VALUES (1883130360894555113, 0, 'ads.example
tracker.example/pixel');
INSERT INTO block_lists (source, import_id, reason, patterns, event_id) VALUES ('list', 1883130360894555113, 'other', 2, 39);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('evil.example', 'block', 'malware', NULL, 34);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('temporary.example', 'block', 'other', 4102444800000, 35);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('www.evil.example/good', 'allow', 'other', NULL, 36);
INSERT INTO change_counter (id, number) VALUES (1, 32);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (1, 'domains', '', 1795893046528);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (10, 'link', 'retired', 1795893058481);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (11, 'link', 'lasting', 1795893058544);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (12, 'owner', '4', 1795893058581);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (13, 'owner', '2', 1795893058609);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (14, 'owner', '3', 1795893058672);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (15, 'domains', '', 1795893058718);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (16, 'domains', '', 1795893058773);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (17, 'domains', '', 1795893058806);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (18, 'domains', '', 1795893058828);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (19, 'domains', '', 1795893058869);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (2, 'keys', '', 1795893046559);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (20, 'owner', '5', 1795893058929);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (21, 'link', 'left', 1795893058937);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (22, 'keys', '', 1795893058967);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (23, 'domains', '', 1795893059003);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (24, 'owner', '5', 1795893059021);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (25, 'blocks', '', 1795893059190);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (26, 'blocks', '', 1795893059473);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (27, 'blocks', '', 1795893059510);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (28, 'blocks', '', 1795893059551);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (29, 'blocks', '', 1795893059597);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (3, 'keys', '', 1795893046591);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (30, 'blocks', '', 1795893059629);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (31, 'link', 'plain', 1795893059681);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (32, 'link', 'plain', 1795893059703);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (4, 'codes', 'wide', 1795893047125);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (5, 'codes', 'folded', 1795893047125);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (6, 'link', 'notice', 1795893058318);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (7, 'link', '-dash_', 1795893058364);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (8, 'link', 'edited', 1795893058392);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (9, 'link', 'edited', 1795893058418);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (1, 6, 0, 6, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (17, 9007199254740997, 9007199254740991, 9007199254740997, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (18, 3, 3, 3, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (2, 6, 0, 6, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (20, 1, 1, 1, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (21, 1, 1, 1, 0);
INSERT INTO click_days (day, link_id, count) VALUES (20751, 1, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20751, 17, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20751, 2, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20752, 1, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20752, 17, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20752, 2, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20755, 1, 3);
INSERT INTO click_days (day, link_id, count) VALUES (20755, 17, 3);
INSERT INTO click_days (day, link_id, count) VALUES (20755, 2, 3);
INSERT INTO click_months (month, owner_id, link_id, count) VALUES (202611, 1, 1, 6);
INSERT INTO click_months (month, owner_id, link_id, count) VALUES (202611, 2, 17, 6);
INSERT INTO click_months (month, owner_id, link_id, count) VALUES (202611, 2, 2, 6);
INSERT INTO click_writers (producer_id, sequence) VALUES (722002953501763460, 2);
INSERT INTO code_kinds (kind) VALUES ('folded');
INSERT INTO code_kinds (kind) VALUES ('wide');
INSERT INTO day_close (id, closed_day, closed_until, position, open_month) VALUES (1, 20755, 20784, 0, 202611);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20751, 2, 1);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20751, 5, 1);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20752, 2, 2);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20752, 5, 2);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20755, 2, 3);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20755, 5, 3);
INSERT INTO domains (host, owner_id, home_url, default_at, created_at) VALUES ('go.acme.example', 2, NULL, NULL, 1795893046528);
INSERT INTO domains (host, owner_id, home_url, default_at, created_at) VALUES ('links.acme.example:8443', 2, 'https://example.org/home', 1795893058773, 1795893058718);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (1, 1, 'plan', 'gold', 'null', '{"max_links":500,"links_per_day":1000,"request_rate":"1000/s","burst":2000,"custom_codes":true}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (10, 8, 'owner', '4', 'null', '{"name":"spammer","plan_name":"unlimited","fallback_url":null,"suspended_reason":null,"suspended_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (11, 8, 'key', '4', 'null', '{"label":null,"scope":"full","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (12, 9, 'owner', '5', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (13, 9, 'key', '5', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (14, 10, 'key', '6', 'null', '{"label":"read","scope":"read","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (15, 11, 'key', '7', 'null', '{"label":"create","scope":"create","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (16, 12, 'key', '8', 'null', '{"label":"lasting","scope":"full","expires_at":4102444800000,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (17, 13, 'key', '9', 'null', '{"label":"past","scope":"full","expires_at":1767225600000,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (18, 14, 'key', '10', 'null', '{"label":"leaked","scope":"edit","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (19, 15, 'domain', 'go.acme.example', 'null', '{"owner_id":2,"home_url":null,"default_at":null,"created_at":1795893046528}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (2, 2, 'plan', 'basic', 'null', '{"max_links":null,"links_per_day":null,"request_rate":null,"burst":null,"custom_codes":false}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (20, 16, 'key', '10', '{"revoked_at":null}', '{"revoked_at":1795893046559}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (21, 17, 'key', '9', '{"expires_at":1767225600000}', '{"expires_at":1769904000000}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (22, 18, 'key', '11', 'null', '{"label":"derived","scope":"read","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (23, 19, 'link', '5', '{"disabled_reason":null}', '{"disabled_reason":"legal"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (24, 20, 'link', '6', '{"disabled_reason":null}', '{"disabled_reason":"phishing"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (25, 21, 'link', '4', '{"destination_url":"https://example.org/before"}', '{"destination_url":"https://example.org/after"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (26, 22, 'link', '4', '{"title":"Before","campaign":null,"expires_at":null}', '{"title":null,"campaign":"autumn","expires_at":4102444800000}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (27, 24, 'link', '3', '{"is_paused":0}', '{"is_paused":1}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (28, 25, 'owner', '4', '{"suspended_reason":null,"suspended_at":null}', '{"suspended_reason":"spam","suspended_at":1795893058581}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (29, 26, 'owner', '2', '{"fallback_url":null}', '{"fallback_url":"https://example.org/ended"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (3, 3, 'operator key', '1', 'null', '{"name":"billing","role":"provisioner","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (30, 27, 'owner', '3', '{"name":"büro"}', '{"name":"Büro & Söhne"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (31, 28, 'domain', 'links.acme.example:8443', 'null', '{"owner_id":2,"home_url":"https://example.org/home","default_at":null,"created_at":1795893058718}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (32, 29, 'domain', 'links.acme.example:8443', '{"owner_id":2,"home_url":"https://example.org/home","default_at":null,"created_at":1795893058718}', '{"owner_id":2,"home_url":"https://example.org/home","default_at":1795893058773,"created_at":1795893058718}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (33, 30, 'domain', 'left.example', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (34, 31, 'domain', 'removed.example', 'null', '{"owner_id":1,"home_url":null,"default_at":null,"created_at":1795893058828}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (35, 32, 'domain', 'removed.example', '{"owner_id":1,"home_url":null,"default_at":null,"created_at":1795893058828}', 'null');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (36, 33, 'owner', '5', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (37, 34, 'block', 'evil.example', 'null', '{"action":"block","reason":"malware","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (38, 35, 'block', 'temporary.example', 'null', '{"action":"block","reason":"other","until":4102444800000}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (39, 36, 'block', 'www.evil.example/good', 'null', '{"action":"allow","reason":"other","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (4, 4, 'operator key', '1', '{"revoked_at":null}', '{"revoked_at":1795893046340}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (40, 37, 'block', 'removed.example', 'null', '{"action":"block","reason":"other","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (41, 38, 'block', 'removed.example', '{"action":"block","reason":"other","until":null}', 'null');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (42, 40, 'link', '1', '{"disabled_reason":null}', '{"disabled_reason":"other"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (43, 41, 'link', '1', '{"disabled_reason":"other"}', '{"disabled_reason":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (5, 5, 'operator key', '2', 'null', '{"name":"billing","role":"auditor","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (6, 6, 'owner', '2', 'null', '{"name":"acme","plan_name":"gold","fallback_url":null,"suspended_reason":null,"suspended_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (7, 6, 'key', '2', 'null', '{"label":null,"scope":"full","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (8, 7, 'owner', '3', 'null', '{"name":"büro","plan_name":"pro","fallback_url":null,"suspended_reason":null,"suspended_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (9, 7, 'key', '3', 'null', '{"label":null,"scope":"full","expires_at":null,"revoked_at":null}');
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (1, 1795893046233, 'alice', 'plan add', 'gold', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (10, 1795893046445, 'alice', 'key add', '6', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (11, 1795893046461, 'alice', 'key add', '7', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (12, 1795893046475, 'alice', 'key add', '8', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (13, 1795893046489, 'alice', 'key add', '9', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (14, 1795893046511, 'alice', 'key add', '10', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (15, 1795893046528, 'alice', 'domain add', 'go.acme.example', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (16, 1795893046559, 'alice', 'key revoke', '10', 2, 'acme', 'other', 'seen in a log', NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (17, 1795893046591, 'alice', 'key expire', '9', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (18, 1795893058285, 'key 1', 'key add', '11', 1, 'default', 'other', NULL, NULL, 1, 'owner_key', 1, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (19, 1795893058318, 'alice', 'link disable', 'notice', 2, 'acme', 'legal', 'Anzeige vom 1. März', '4711', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (2, 1795893046303, 'alice', 'plan add', 'basic', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (20, 1795893058364, 'alice', 'link disable', '-dash_', 2, 'acme', 'phishing', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (21, 1795893058392, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (22, 1795893058418, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (23, 1795893058481, 'alice', 'link delete', 'retired', 2, 'acme', 'owner-request', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (24, 1795893058544, 'alice', 'link pause', 'lasting', 2, 'acme', 'other', NULL, '4712', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (25, 1795893058581, 'alice', 'owner suspend', 'spammer', 4, 'spammer', 'spam', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (26, 1795893058609, 'alice', 'owner edit', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (27, 1795893058672, 'alice', 'owner rename', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (28, 1795893058718, 'alice', 'domain add', 'links.acme.example:8443', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (29, 1795893058773, 'alice', 'domain default', 'links.acme.example:8443', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (3, 1795893046323, 'alice', 'operator add', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (30, 1795893058806, 'alice', 'domain add', 'left.example', 5, 'leaving', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (31, 1795893058828, 'alice', 'domain add', 'removed.example', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (32, 1795893058869, 'alice', 'domain remove', 'removed.example', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (33, 1795893058929, 'alice', 'owner delete', 'leaving', 5, 'leaving', 'other', NULL, NULL, 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (34, 1795893059190, 'alice', 'block add', 'evil.example', NULL, NULL, 'malware', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (35, 1795893059473, 'alice', 'block add', 'temporary.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (36, 1795893059510, 'alice', 'block allow', 'www.evil.example/good', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (37, 1795893059551, 'alice', 'block add', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (38, 1795893059597, 'alice', 'block remove', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (39, 1795893059629, 'alice', 'block import', 'list', NULL, NULL, 'other', NULL, NULL, 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (4, 1795893046340, 'alice', 'operator revoke', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (40, 1795893059681, 'alice', 'link disable', 'plain', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (41, 1795893059703, 'alice', 'undo', '40', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (5, 1795893046355, 'alice', 'operator add', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (6, 1795893046371, 'alice', 'owner add', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (7, 1795893046395, 'alice', 'owner add', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (8, 1795893046411, 'alice', 'owner add', 'spammer', 4, 'spammer', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (9, 1795893046427, 'alice', 'owner add', 'leaving', 5, 'leaving', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO folded_codes (link_id, folded) VALUES (17, 'IMPORTED');
INSERT INTO folded_codes (link_id, folded) VALUES (18, 'EXPIRED');
INSERT INTO folded_codes (link_id, folded) VALUES (19, 'OFF');
INSERT INTO folded_codes (link_id, folded) VALUES (20, 'GRÖSSE/1.0');
INSERT INTO folded_codes (link_id, folded) VALUES (21, 'RESTING');
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (1, 1, 'once', X'CCEC0AE9FDE1F0E5E2D421B8DFAC110C6719E5AD0AB9676E7B83AB3AA5CF7B5F', 'once', 'http://127.0.0.1:36023', 4102444800000, NULL, NULL, NULL, NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (2, 1, 'short-lived', X'2F1DCCBEF47CE339DC57002CA75B617BDFF128A70E81B88E9B3105AF30FF48DA', 'short-lived', 'http://127.0.0.1:36023', 1795893047096, NULL, NULL, NULL, NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (3, 2, 'branded', X'F2116681DD6CD3A40BD86B5D8CEB595B0777A1F6EB6E1E6462ABD262EA9E8EE3', 'branded', 'http://127.0.0.1:41837', 4102444800000, NULL, NULL, 'http://go.acme.example', NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (4, 1, 'derived', X'779D29A8C40861C3277F337A58A2B90F64817385380E0AF385FFE20DBE513274', '', 'http://127.0.0.1:41837', 4102444800000, 11, X'3746EBDD700DE4EF6BE8F80C44C7E9B0E58B1EF4A591DBA526BE8355DE142CA3', '{"owner":"default","expires_at":null,"is_default":false}', 18);
INSERT INTO installation (id, secret) VALUES (1, '955f284455c767e8d0eb6bd08ff07071');
INSERT INTO instances (id, kind, version, started_at, seen_at) VALUES (1, 'server', '0.1.0', 1, 1);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (1, 1, 'plain', 'http://192.0.2.1:8080/a%20b?c=d&e#f', '192.0.2.1', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893046604, 717233175, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (10, 3, 'blocked', 'https://www.evil.example/login', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893047036, -1155042429, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (11, 3, 'excepted', 'https://www.evil.example/good/', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893047044, -662879558, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (12, 3, 'listed', 'https://ads.example/', 'ads.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893047060, -1894700989, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (13, 4, 'spam', 'https://spam.example/', 'spam.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893047063, 2139682089, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (14, NULL, 'left', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 33, 1795893047072, -931394136, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (15, 1, 'once', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893047081, -1522279255, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (16, 1, 'short-lived', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893047096, -2003662983, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (17, 2, 'imported', 'https://example.net/', 'example.net', 'Imported', 'old', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, 1583020799000, 1043845230, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (18, 2, 'expired', 'https://example.net/expired', 'example.net', NULL, NULL, NULL, 1609459200000, 0, NULL, NULL, NULL, NULL, NULL, 1577836800000, -1357024032, 'https://example.net/ended', 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (19, 2, 'off', 'https://example.net/off', 'example.net', NULL, NULL, 'other', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893047117, 1546378810, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (2, 2, 'spring', 'https://example.org/spring', 'example.org', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795893046972, 872658163, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (20, 2, 'Größe/1.0', 'https://example.net/wide?a=1', 'example.net', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893047117, -1675973490, NULL, 1, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (21, 2, 'resting', 'https://example.net/rest', 'example.net', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893047117, -1484386281, NULL, 0, 1);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (22, 2, 'branded', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893058263, 466473459, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (3, 2, 'lasting', 'https://example.org/', 'example.org', NULL, NULL, NULL, 4102444800000, 1, 'H', 6, '#000080', '#ffffee', NULL, 1795893046975, 178643992, NULL, 0, 1);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (4, 2, 'edited', 'https://example.org/after', 'example.org', NULL, 'autumn', NULL, 4102444800000, 0, NULL, NULL, NULL, NULL, NULL, 1795893046980, -348534547, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (5, 2, 'notice', 'https://example.org/notice', 'example.org', NULL, NULL, 'legal', NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795893046982, -158249184, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (6, 2, '-dash_', 'https://example.org/dash', 'example.org', NULL, NULL, 'phishing', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893046996, -648860276, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (7, NULL, 'retired', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 23, 1795893047004, 1294449377, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (8, 3, 'unicode', 'https://münchen.example/ä b?ü=ö', 'xn--mnchen-3ya.example', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893047015, -4128349, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (9, 3, 'punycode', 'HTTPS://user@xn--mnchen-3ya.EXAMPLE./', 'xn--mnchen-3ya.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795893047020, -805824310, NULL, 0, 0);
INSERT INTO operator_keys (id, name, hash, role, created_at, revoked_at, last_used_at, hint, expires_at) VALUES (1, 'billing', X'9BB3A95E4848EE4B8EFB2B47305C4ED96EE0DE3A53B9569D337BEA87FA1ABC7B', 'provisioner', 1795893046323, 1795893046340, NULL, 'cu2G', NULL);
INSERT INTO operator_keys (id, name, hash, role, created_at, revoked_at, last_used_at, hint, expires_at) VALUES (2, 'billing', X'40E0ABF2E4C7C35D55F82E8D79C82AEDF6FC67163346C570D3DCD78F47ABC5DC', 'auditor', 1795893046355, NULL, NULL, 'X7Wj', NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at) VALUES (1, 'default', 'unlimited', 3, 20785, 3, NULL, 1795893046147, NULL, 202611, 3, NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at) VALUES (2, 'acme', 'gold', 11, 20785, 7, NULL, 1795893046371, 'https://example.org/ended', 202611, 12, NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at) VALUES (3, 'Büro & Söhne', 'pro', 5, 20785, 5, NULL, 1795893046395, NULL, 202611, 5, NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at) VALUES (4, 'spammer', 'unlimited', 1, 20785, 1, 'spam', 1795893046411, NULL, 202611, 1, 1795893058581);
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
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0001_initial_schema', 1795893046);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0002_link_fallback', 1795893046);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0003_codes_queries_actors', 1795893046);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0004_link_pauses', 1795893046);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0005_derived_keys', 1795893046);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0006_events_of_owner_keys', 1795893046);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0007_operator_keys', 1795893046);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0008_usage', 1795893046);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0009_domains', 1795893046);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0010_deleted_links', 1795893046);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0011_contract', 1795893046);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0012_report_days', 1795893046);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted) VALUES (202611, 1, NULL, 0, 0, NULL, 6, NULL);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted) VALUES (202611, 2, NULL, 0, 0, NULL, 18, 1);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted) VALUES (202611, 5, 'leaving', 0, 1, 0, 6, 1);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 1, 1189161446424504267, 3);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 2, 1189161446424504267, 9);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 3, 1189161446424504267, 5);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 4, 1189161446424504267, 1);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 5, 1189161446424504267, 1);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES ('api_keys', 11);
INSERT INTO sqlite_sequence (name, seq) VALUES ('event_changes', 43);
INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 41);
INSERT INTO sqlite_sequence (name, seq) VALUES ('idempotency_keys', 4);
INSERT INTO sqlite_sequence (name, seq) VALUES ('links', 22);
INSERT INTO sqlite_sequence (name, seq) VALUES ('operator_keys', 2);
INSERT INTO sqlite_sequence (name, seq) VALUES ('owners', 5);
CREATE INDEX api_keys_owner_id_idx ON api_keys (owner_id);
CREATE INDEX links_owner_id_idx ON links (owner_id, id);
CREATE INDEX links_owner_id_qr_idx ON links (owner_id, id) WHERE has_qr = 1;
CREATE INDEX links_deleted_idx ON links (id) WHERE owner_id IS NULL;
CREATE INDEX event_changes_event_id_idx ON event_changes (event_id);
CREATE INDEX event_changes_subject_idx ON event_changes (kind, subject, event_id);
CREATE INDEX links_owner_id_campaign_idx ON links (owner_id, campaign)
     WHERE campaign IS NOT NULL;
CREATE INDEX links_owner_id_campaign_qr_idx ON links (owner_id, campaign) WHERE has_qr = 1;
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
CREATE TRIGGER code_kinds_publish AFTER INSERT ON code_kinds BEGIN
        UPDATE change_counter SET number = number + 1 WHERE id = 1;
        INSERT INTO changes (number, kind, subject, changed_at)
        SELECT number, 'codes', NEW.kind,
            CAST((julianday('now') - 2440587.5) * 86400000 AS integer)
        FROM change_counter WHERE id = 1;
    END;
CREATE TRIGGER links_delete_folded AFTER DELETE ON links BEGIN
        DELETE FROM folded_codes WHERE link_id = OLD.id;
    END;
CREATE INDEX links_owner_id_inactive_idx ON links (owner_id, id)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL OR is_paused = 1;
CREATE INDEX links_owner_id_campaign_inactive_idx ON links (owner_id, campaign)
     WHERE disabled_reason IS NOT NULL OR expires_at IS NOT NULL OR is_paused = 1;
CREATE TRIGGER links_forget_checksum
     AFTER UPDATE OF short_code, owner_id, destination_url, disabled_reason, expires_at, fallback_url,
         forward_query, is_paused
     ON links
     WHEN NEW.checksum IS OLD.checksum BEGIN
         UPDATE links SET checksum = NULL WHERE id = NEW.id;
     END;
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at);
CREATE INDEX events_owner_key_at_idx ON events (at)
                     WHERE actor_type = 'owner_key';
CREATE UNIQUE INDEX operator_keys_name_idx ON operator_keys (name) WHERE revoked_at IS NULL;
CREATE INDEX click_counts_open_idx ON click_counts (link_id) WHERE is_open;
CREATE INDEX domains_owner_id_idx ON domains (owner_id);
CREATE INDEX events_running_idx ON events (id) WHERE status = 'running';
COMMIT;
