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
    , fallback_url text, created_month bigint NOT NULL DEFAULT 0, created_in_month bigint NOT NULL DEFAULT 0, suspended_at bigint, external_id text);
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
    , fallback_url text, forward_query int NOT NULL DEFAULT 0, is_paused int NOT NULL DEFAULT 0, external_id text, created_by bigint, updated_at bigint);
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
CREATE TABLE webhooks (
        id integer PRIMARY KEY AUTOINCREMENT,
        owner_id bigint NOT NULL REFERENCES owners (id) ON DELETE CASCADE,
        url text NOT NULL,
        types text NOT NULL,
        description text,
        is_enabled boolean NOT NULL,
        disabled_reason text,
        secret text NOT NULL,
        secret_at bigint NOT NULL,
        previous_secret text,
        created_at bigint NOT NULL,
        last_success_at bigint,
        last_failure_at bigint,
        failing_since bigint,
        dropped bigint NOT NULL
    );
CREATE TABLE webhook_deliveries (
        id integer PRIMARY KEY AUTOINCREMENT,
        webhook_id bigint NOT NULL,
        type text NOT NULL,
        link_id bigint,
        event_id bigint,
        content text,
        created_at bigint NOT NULL,
        status text NOT NULL,
        next_attempt_at bigint,
        attempts text NOT NULL,
        attempt_count bigint NOT NULL
    );
CREATE TABLE webhook_clicks (link_id integer PRIMARY KEY, owner_id bigint NOT NULL);
CREATE TABLE webhook_lease (
        id integer PRIMARY KEY,
        holder bigint NOT NULL,
        expires_at bigint NOT NULL,
        clicks_at bigint NOT NULL
    );
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (1, 1, X'51A7C8CD9C40761A83A91313ABBEE6F53460ACBCD8E9FC3782D8073C9C47B9E5', NULL, 'manage', 1795907001230, NULL, NULL, 1795907002479, 'tvcs');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (10, 2, X'CA06D5036D106886C2CA7F7BBD2D0A23C8E22288D76F52B32EBA4B6B898B2EEC', 'leaked', 'full', 1795907002194, NULL, 1795907002357, NULL, 'S94j');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (11, 1, X'BEF729EFF242681FB7307F093B59C261BCBFE80DBB433EFD2D35AF25CD95AF47', 'derived', 'read', 1795907014793, NULL, NULL, NULL, 'dnf9');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (2, 2, X'4C53A0AB22A3194C84D4957ABA0B8B08A31144ECB329C0F1E08C3E665162223C', NULL, 'manage', 1795907001606, NULL, NULL, 1795907003120, 'zxwX');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (3, 3, X'8B829F03220753DDEFF9A6A5F2346F15D27C5E1D6684EDFA2FCA5E532733B0A4', NULL, 'manage', 1795907001658, NULL, NULL, 1795907003140, 'yvvZ');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (4, 4, X'C617461D3D92FF908F8820A53FDA6CFFCAEF3E1F3E1B69E4DBBB3F54198A2405', NULL, 'manage', 1795907001707, NULL, NULL, 1795907003154, 'm63L');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (6, 2, X'28B2A738F5025905568789C841E9F90521417DEDF8AAACBD490E1441EA48C1E3', 'read', 'read', 1795907001878, NULL, NULL, NULL, 'DO5d');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (7, 2, X'0E549C5B8923BB5A75E269C7535B4C49745B1465BDA9B3A037B1FCCDA38EFCDD', 'create', 'create', 1795907001953, NULL, NULL, NULL, 'wi1P');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (8, 2, X'19BBCC57A3CF31009500D9DC250DA9838656869E6007D700101418A3D21F01E9', 'lasting', 'manage', 1795907002050, 4102444800000, NULL, NULL, 'WFAQ');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (9, 2, X'2450C23C28B2984FE0FB7107D4F458A6A2F3A4DA405B7312DF5EB56650016F0B', 'past', 'manage', 1795907002126, 1769904000000, NULL, NULL, 'Eekw');
INSERT INTO block_list_parts (import_id, part, patterns) VALUES (1883144995906795821, 0, 'ads.example
tracker.example/pixel');
INSERT INTO block_lists (source, import_id, reason, patterns, event_id) VALUES ('list', 1883144995906795821, 'other', 2, 41);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('evil.example', 'block', 'malware', NULL, 36);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('temporary.example', 'block', 'other', 4102444800000, 37);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('www.evil.example/good', 'allow', 'other', NULL, 38);
INSERT INTO change_counter (id, number) VALUES (1, 34);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (1, 'domains', '', 1795907002262);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (10, 'link', 'retired', 1795907015243);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (11, 'link', 'plain', 1795907015358);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (12, 'owner', '2', 1795907015444);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (13, 'link', 'lasting', 1795907015560);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (14, 'owner', '4', 1795907015637);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (15, 'owner', '2', 1795907015687);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (16, 'owner', '3', 1795907015763);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (17, 'domains', '', 1795907015829);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (18, 'domains', '', 1795907015878);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (19, 'domains', '', 1795907015954);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (2, 'keys', '', 1795907002357);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (20, 'domains', '', 1795907016038);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (21, 'domains', '', 1795907016088);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (22, 'owner', '5', 1795907016146);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (23, 'link', 'left', 1795907016162);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (24, 'keys', '', 1795907016202);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (25, 'domains', '', 1795907016213);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (26, 'owner', '5', 1795907016230);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (27, 'blocks', '', 1795907016322);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (28, 'blocks', '', 1795907016390);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (29, 'blocks', '', 1795907016448);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (3, 'keys', '', 1795907002458);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (30, 'blocks', '', 1795907016506);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (31, 'blocks', '', 1795907016590);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (32, 'blocks', '', 1795907016665);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (33, 'link', 'plain', 1795907016760);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (34, 'link', 'plain', 1795907016846);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (4, 'codes', 'folded', 1795907003232);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (5, 'codes', 'wide', 1795907003232);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (6, 'link', 'notice', 1795907014869);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (7, 'link', '-dash_', 1795907014941);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (8, 'link', 'edited', 1795907015033);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (9, 'link', 'edited', 1795907015130);
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
INSERT INTO click_writers (producer_id, sequence) VALUES (7212243809943797939, 2);
INSERT INTO code_kinds (kind) VALUES ('folded');
INSERT INTO code_kinds (kind) VALUES ('wide');
INSERT INTO day_close (id, closed_day, closed_until, position, open_month) VALUES (1, 20755, 20784, 0, 202611);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20751, 2, 1);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20751, 5, 1);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20752, 2, 2);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20752, 5, 2);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20755, 2, 3);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20755, 5, 3);
INSERT INTO domains (host, owner_id, home_url, default_at, created_at) VALUES ('go.acme.example', 2, NULL, NULL, 1795907002262);
INSERT INTO domains (host, owner_id, home_url, default_at, created_at) VALUES ('links.acme.example:8443', 2, 'https://example.org/home', 1795907015878, 1795907015829);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (1, 1, 'plan', 'gold', 'null', '{"max_links":500,"links_per_day":1000,"request_rate":"1000/s","burst":2000,"custom_codes":true}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (10, 8, 'owner', '4', 'null', '{"name":"spammer","plan_name":"unlimited","external_id":null,"fallback_url":null,"suspended_reason":null,"suspended_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (11, 8, 'key', '4', 'null', '{"label":null,"scope":"full","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (12, 9, 'owner', '5', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (13, 9, 'key', '5', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (14, 10, 'key', '6', 'null', '{"label":"read","scope":"read","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (15, 11, 'key', '7', 'null', '{"label":"create","scope":"create","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (16, 12, 'key', '8', 'null', '{"label":"lasting","scope":"full","expires_at":4102444800000,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (17, 13, 'key', '9', 'null', '{"label":"past","scope":"full","expires_at":1767225600000,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (18, 14, 'key', '10', 'null', '{"label":"leaked","scope":"edit","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (19, 15, 'domain', 'go.acme.example', 'null', '{"owner_id":2,"home_url":null,"default_at":null,"created_at":1795907002262}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (2, 2, 'plan', 'basic', 'null', '{"max_links":null,"links_per_day":null,"request_rate":null,"burst":null,"custom_codes":false}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (20, 16, 'key', '10', '{"revoked_at":null}', '{"revoked_at":1795907002357}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (21, 17, 'key', '9', '{"expires_at":1767225600000}', '{"expires_at":1769904000000}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (22, 18, 'key', '11', 'null', '{"label":"derived","scope":"read","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (23, 19, 'link', '5', '{"disabled_reason":null}', '{"disabled_reason":"legal"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (24, 20, 'link', '6', '{"disabled_reason":null}', '{"disabled_reason":"phishing"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (25, 21, 'link', '4', '{"destination_url":"https://example.org/before"}', '{"destination_url":"https://example.org/after"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (26, 22, 'link', '4', '{"title":"Before","campaign":null,"expires_at":null}', '{"title":null,"campaign":"autumn","expires_at":4102444800000}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (27, 24, 'link', '1', '{"external_id":null}', '{"external_id":"Übung 7"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (28, 25, 'owner', '2', '{"external_id":null}', '{"external_id":"customer/7"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (29, 26, 'link', '3', '{"is_paused":0}', '{"is_paused":1}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (3, 3, 'operator key', '1', 'null', '{"name":"billing","role":"provisioner","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (30, 27, 'owner', '4', '{"suspended_reason":null,"suspended_at":null}', '{"suspended_reason":"spam","suspended_at":1795907015637}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (31, 28, 'owner', '2', '{"fallback_url":null}', '{"fallback_url":"https://example.org/ended"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (32, 29, 'owner', '3', '{"name":"büro"}', '{"name":"Büro & Söhne"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (33, 30, 'domain', 'links.acme.example:8443', 'null', '{"owner_id":2,"home_url":"https://example.org/home","default_at":null,"created_at":1795907015829}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (34, 31, 'domain', 'links.acme.example:8443', '{"owner_id":2,"home_url":"https://example.org/home","default_at":null,"created_at":1795907015829}', '{"owner_id":2,"home_url":"https://example.org/home","default_at":1795907015878,"created_at":1795907015829}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (35, 32, 'domain', 'left.example', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (36, 33, 'domain', 'removed.example', 'null', '{"owner_id":1,"home_url":null,"default_at":null,"created_at":1795907016038}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (37, 34, 'domain', 'removed.example', '{"owner_id":1,"home_url":null,"default_at":null,"created_at":1795907016038}', 'null');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (38, 35, 'owner', '5', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (39, 36, 'block', 'evil.example', 'null', '{"action":"block","reason":"malware","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (4, 4, 'operator key', '1', '{"revoked_at":null}', '{"revoked_at":1795907001483}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (40, 37, 'block', 'temporary.example', 'null', '{"action":"block","reason":"other","until":4102444800000}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (41, 38, 'block', 'www.evil.example/good', 'null', '{"action":"allow","reason":"other","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (42, 39, 'block', 'removed.example', 'null', '{"action":"block","reason":"other","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (43, 40, 'block', 'removed.example', '{"action":"block","reason":"other","until":null}', 'null');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (44, 42, 'link', '1', '{"disabled_reason":null}', '{"disabled_reason":"other"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (45, 43, 'link', '1', '{"disabled_reason":"other"}', '{"disabled_reason":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (5, 5, 'operator key', '2', 'null', '{"name":"billing","role":"auditor","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (6, 6, 'owner', '2', 'null', '{"name":"acme","plan_name":"gold","external_id":null,"fallback_url":null,"suspended_reason":null,"suspended_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (7, 6, 'key', '2', 'null', '{"label":null,"scope":"full","expires_at":null,"revoked_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (8, 7, 'owner', '3', 'null', '{"name":"büro","plan_name":"pro","external_id":null,"fallback_url":null,"suspended_reason":null,"suspended_at":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (9, 7, 'key', '3', 'null', '{"label":null,"scope":"full","expires_at":null,"revoked_at":null}');
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (1, 1795907001324, 'alice', 'plan add', 'gold', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (10, 1795907001878, 'alice', 'key add', '6', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (11, 1795907001953, 'alice', 'key add', '7', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (12, 1795907002050, 'alice', 'key add', '8', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (13, 1795907002126, 'alice', 'key add', '9', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (14, 1795907002194, 'alice', 'key add', '10', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (15, 1795907002262, 'alice', 'domain add', 'go.acme.example', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (16, 1795907002357, 'alice', 'key revoke', '10', 2, 'acme', 'other', 'seen in a log', NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (17, 1795907002458, 'alice', 'key expire', '9', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (18, 1795907014793, 'key 1', 'key add', '11', 1, 'default', 'other', NULL, NULL, 1, 'owner_key', 1, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (19, 1795907014869, 'alice', 'link disable', 'notice', 2, 'acme', 'legal', 'Anzeige vom 1. März', '4711', 1, NULL, NULL, 'done', 1795907014881, 3449347608818018182, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (2, 1795907001371, 'alice', 'plan add', 'basic', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (20, 1795907014941, 'alice', 'link disable', '-dash_', 2, 'acme', 'phishing', NULL, NULL, 1, NULL, NULL, 'done', 1795907014963, 6263514707113876111, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (21, 1795907015033, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (22, 1795907015130, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (23, 1795907015243, 'alice', 'link delete', 'retired', 2, 'acme', 'owner-request', NULL, NULL, 1, NULL, NULL, 'done', 1795907015288, 1865595269588186364, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (24, 1795907015358, 'alice', 'link edit', 'plain', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (25, 1795907015444, 'alice', 'owner edit', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (26, 1795907015560, 'alice', 'link pause', 'lasting', 2, 'acme', 'other', NULL, '4712', 1, NULL, NULL, 'done', 1795907015574, 8503543805619190048, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (27, 1795907015637, 'alice', 'owner suspend', 'spammer', 4, 'spammer', 'spam', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (28, 1795907015687, 'alice', 'owner edit', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (29, 1795907015763, 'alice', 'owner rename', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (3, 1795907001426, 'alice', 'operator add', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (30, 1795907015829, 'alice', 'domain add', 'links.acme.example:8443', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (31, 1795907015878, 'alice', 'domain default', 'links.acme.example:8443', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (32, 1795907015954, 'alice', 'domain add', 'left.example', 5, 'leaving', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (33, 1795907016038, 'alice', 'domain add', 'removed.example', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (34, 1795907016088, 'alice', 'domain remove', 'removed.example', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (35, 1795907016146, 'alice', 'owner delete', 'leaving', 5, 'leaving', 'other', NULL, NULL, 4, NULL, NULL, 'done', 1795907016233, 870904772066306137, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (36, 1795907016322, 'alice', 'block add', 'evil.example', NULL, NULL, 'malware', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (37, 1795907016390, 'alice', 'block add', 'temporary.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (38, 1795907016448, 'alice', 'block allow', 'www.evil.example/good', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (39, 1795907016506, 'alice', 'block add', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (4, 1795907001483, 'alice', 'operator revoke', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (40, 1795907016590, 'alice', 'block remove', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (41, 1795907016665, 'alice', 'block import', 'list', NULL, NULL, 'other', NULL, NULL, 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (42, 1795907016760, 'alice', 'link disable', 'plain', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, 'done', 1795907016775, -4149613804702200465, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (43, 1795907016846, 'alice', 'undo', '42', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, 'done', 1795907016861, 3163140380414641200, '{"unknown":{"first":[],"count":0},"skipped":{"first":[],"count":0},"changed":0,"position":44}', 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (5, 1795907001555, 'alice', 'operator add', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (6, 1795907001606, 'alice', 'owner add', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (7, 1795907001658, 'alice', 'owner add', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (8, 1795907001707, 'alice', 'owner add', 'spammer', 4, 'spammer', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (9, 1795907001791, 'alice', 'owner add', 'leaving', 5, 'leaving', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO folded_codes (link_id, folded) VALUES (17, 'IMPORTED');
INSERT INTO folded_codes (link_id, folded) VALUES (18, 'EXPIRED');
INSERT INTO folded_codes (link_id, folded) VALUES (19, 'OFF');
INSERT INTO folded_codes (link_id, folded) VALUES (20, 'GRÖSSE/1.0');
INSERT INTO folded_codes (link_id, folded) VALUES (21, 'RESTING');
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (1, 1, 'once', X'CCEC0AE9FDE1F0E5E2D421B8DFAC110C6719E5AD0AB9676E7B83AB3AA5CF7B5F', 'once', 'http://127.0.0.1:45735', 4102444800000, NULL, NULL, NULL, NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (2, 1, 'short-lived', X'2F1DCCBEF47CE339DC57002CA75B617BDFF128A70E81B88E9B3105AF30FF48DA', 'short-lived', 'http://127.0.0.1:45735', 1795907003166, NULL, NULL, NULL, NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (3, 2, 'branded', X'F2116681DD6CD3A40BD86B5D8CEB595B0777A1F6EB6E1E6462ABD262EA9E8EE3', 'branded', 'http://127.0.0.1:41553', 4102444800000, NULL, NULL, 'http://go.acme.example', NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (4, 1, 'derived', X'779D29A8C40861C3277F337A58A2B90F64817385380E0AF385FFE20DBE513274', '', 'http://127.0.0.1:41553', 4102444800000, 11, X'1E04DA59E0D3BCB5E59A53133DD76F2086BCD696453CA7784ECB628C1C8CAD2B', '{"owner":"default","expires_at":null,"is_default":false}', 18);
INSERT INTO installation (id, secret) VALUES (1, 'ad7a4562985395669a65b163c7c293f7');
INSERT INTO instances (id, kind, version, started_at, seen_at) VALUES (1, 'server', '0.1.0', 1, 1);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (1, 1, 'plain', 'http://192.0.2.1:8080/a%20b?c=d&e#f', '192.0.2.1', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907002480, 717233175, NULL, 0, 0, 'Übung 7', 1, 1795907015358);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (10, 3, 'blocked', 'https://www.evil.example/login', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003145, -1155042429, NULL, 0, 0, NULL, 3, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (11, 3, 'excepted', 'https://www.evil.example/good/', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003148, -662879558, NULL, 0, 0, NULL, 3, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (12, 3, 'listed', 'https://ads.example/', 'ads.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003150, -1894700989, NULL, 0, 0, NULL, 3, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (13, 4, 'spam', 'https://spam.example/', 'spam.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003155, 2139682089, NULL, 0, 0, NULL, 4, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (14, NULL, 'left', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 35, 1795907003157, -931394136, NULL, 0, 0, NULL, NULL, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (15, 1, 'once', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003164, -1522279255, NULL, 0, 0, NULL, 1, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (16, 1, 'short-lived', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003166, -2003662983, NULL, 0, 0, NULL, 1, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (17, 2, 'imported', 'https://example.net/', 'example.net', 'Imported', 'old', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, 1583020799000, 1043845230, NULL, 0, 0, 'erp/1', 0, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (18, 2, 'expired', 'https://example.net/expired', 'example.net', NULL, NULL, NULL, 1609459200000, 0, NULL, NULL, NULL, NULL, NULL, 1577836800000, -1357024032, 'https://example.net/ended', 0, 0, NULL, 0, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (19, 2, 'off', 'https://example.net/off', 'example.net', NULL, NULL, 'other', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003215, 1546378810, NULL, 0, 0, NULL, 0, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (2, 2, 'spring', 'https://example.org/spring', 'example.org', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795907003120, 872658163, NULL, 0, 0, NULL, 2, 1795907003169);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (20, 2, 'Größe/1.0', 'https://example.net/wide?a=1', 'example.net', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003215, -1675973490, NULL, 1, 0, NULL, 0, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (21, 2, 'resting', 'https://example.net/rest', 'example.net', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003215, -1484386281, NULL, 0, 1, NULL, 0, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (22, 2, 'branded', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907014775, 466473459, NULL, 0, 0, NULL, 2, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (3, 2, 'lasting', 'https://example.org/', 'example.org', NULL, NULL, NULL, 4102444800000, 1, 'H', 6, '#000080', '#ffffee', NULL, 1795907003123, 178643992, NULL, 0, 1, NULL, 2, 1795907015560);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (4, 2, 'edited', 'https://example.org/after', 'example.org', NULL, 'autumn', NULL, 4102444800000, 0, NULL, NULL, NULL, NULL, NULL, 1795907003126, -348534547, NULL, 0, 0, NULL, 2, 1795907015130);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (5, 2, 'notice', 'https://example.org/notice', 'example.org', NULL, NULL, 'legal', NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795907003128, -158249184, NULL, 0, 0, NULL, 2, 1795907003176);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (6, 2, '-dash_', 'https://example.org/dash', 'example.org', NULL, NULL, 'phishing', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003134, -648860276, NULL, 0, 0, NULL, 2, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (7, NULL, 'retired', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 23, 1795907003136, 1294449377, NULL, 0, 0, NULL, NULL, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (8, 3, 'unicode', 'https://münchen.example/ä b?ü=ö', 'xn--mnchen-3ya.example', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003140, -4128349, NULL, 0, 0, NULL, 3, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (9, 3, 'punycode', 'HTTPS://user@xn--mnchen-3ya.EXAMPLE./', 'xn--mnchen-3ya.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795907003142, -805824310, NULL, 0, 0, NULL, 3, NULL);
INSERT INTO operator_keys (id, name, hash, role, created_at, revoked_at, last_used_at, hint, expires_at) VALUES (1, 'billing', X'C92A8CE44F76529CA2967F23731AC742DB6BB604C4FAA9CD0DBA03D9EBC3DBF7', 'provisioner', 1795907001426, 1795907001483, NULL, '0LTL', NULL);
INSERT INTO operator_keys (id, name, hash, role, created_at, revoked_at, last_used_at, hint, expires_at) VALUES (2, 'billing', X'94B41CC87968BF9057BB51A0B63BA50218E8D29A622ECABDD752F79897190FFA', 'auditor', 1795907001555, NULL, NULL, 'v7xD', NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at, external_id) VALUES (1, 'default', 'unlimited', 3, 20785, 3, NULL, 1795907001230, NULL, 202611, 3, NULL, NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at, external_id) VALUES (2, 'acme', 'gold', 11, 20785, 7, NULL, 1795907001606, 'https://example.org/ended', 202611, 12, NULL, 'customer/7');
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at, external_id) VALUES (3, 'Büro & Söhne', 'pro', 5, 20785, 5, NULL, 1795907001658, NULL, 202611, 5, NULL, NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at, external_id) VALUES (4, 'spammer', 'unlimited', 1, 20785, 1, 'spam', 1795907001707, NULL, 202611, 1, 1795907015637, NULL);
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
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0001_initial_schema', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0002_link_fallback', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0003_codes_queries_actors', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0004_link_pauses', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0005_derived_keys', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0006_events_of_owner_keys', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0007_operator_keys', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0008_usage', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0009_domains', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0010_deleted_links', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0011_contract', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0012_report_days', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0013_webhooks', 1795907001);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0014_external_ids', 1795907001);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted) VALUES (202611, 1, NULL, 0, 0, NULL, 6, NULL);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted) VALUES (202611, 2, NULL, 0, 0, NULL, 18, 1);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted) VALUES (202611, 5, 'leaving', 0, 1, 0, 6, 1);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 1, 2102421517282786820, 3);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 2, 2102421517282786820, 9);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 3, 2102421517282786820, 5);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 4, 2102421517282786820, 1);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 5, 2102421517282786820, 1);
INSERT INTO webhook_clicks (link_id, owner_id) VALUES (2, 2);
INSERT INTO webhook_deliveries (id, webhook_id, type, link_id, event_id, content, created_at, status, next_attempt_at, attempts, attempt_count) VALUES (9, 7, 'link.deleted', NULL, 1, '{"short_code":"retired","external_id":null}', 4102444800000, 'delivered', NULL, '[{"at":4102444800000,"status_code":204,"error":null,"milliseconds":5}]', 1);
INSERT INTO webhook_lease (id, holder, expires_at, clicks_at) VALUES (1, 0, 0, 0);
INSERT INTO webhooks (id, owner_id, url, types, description, is_enabled, disabled_reason, secret, secret_at, previous_secret, created_at, last_success_at, last_failure_at, failing_since, dropped) VALUES (7, 2, 'http://127.0.0.1:1025/', 'link.deleted links.clicked', 'crm', 1, NULL, 'whsec_bm90IGEgc2VjcmV0OiAzMiBieXRlcyBvZiBhbiBleGE=', 1700000000000, NULL, 1700000000000, 1700000001000, NULL, NULL, 3);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES ('api_keys', 11);
INSERT INTO sqlite_sequence (name, seq) VALUES ('event_changes', 45);
INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 43);
INSERT INTO sqlite_sequence (name, seq) VALUES ('idempotency_keys', 4);
INSERT INTO sqlite_sequence (name, seq) VALUES ('links', 22);
INSERT INTO sqlite_sequence (name, seq) VALUES ('operator_keys', 2);
INSERT INTO sqlite_sequence (name, seq) VALUES ('owners', 5);
INSERT INTO sqlite_sequence (name, seq) VALUES ('webhook_deliveries', 9);
INSERT INTO sqlite_sequence (name, seq) VALUES ('webhooks', 7);
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
CREATE INDEX webhooks_owner_id_idx ON webhooks (owner_id);
CREATE INDEX webhook_deliveries_webhook_id_idx ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_waiting_idx
         ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_link_id_idx
         ON webhook_deliveries (link_id) WHERE link_id IS NOT NULL;
CREATE UNIQUE INDEX links_external_id_key ON links (owner_id, external_id)
     WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX owners_external_id_key ON owners (external_id)
     WHERE external_id IS NOT NULL;
COMMIT;
