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
        clicks bigint NOT NULL DEFAULT 0, links_deleted bigint, plan text,
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
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (1, 1, X'9CE67ED09E3ABD15860DE5296BA3411E4DFA71383BE955CF3912FD7C3138EF21', NULL, 'manage', 1795920134254, NULL, NULL, 1795920135224, 'IaQ0');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (10, 2, X'490A1ACA434D4079AAAFF3FE41EE67268334FAA2324C8905EE66B2B2B2FC85FA', 'leaked', 'full', 1795920135002, NULL, 1795920135122, NULL, 'oRiE');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (11, 1, X'F08693AC2DCFD677A73D00FD0DE9A65EEBEEFF3B0C13DD694A1DADEC2FAC48DA', 'derived', 'read', 1795920152224, NULL, NULL, NULL, 'UfWw');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (2, 2, X'3FA8229FD36DB99D4D52F5843A564BF4C6D6E0E0D047D3020342FA9EAC1C4429', NULL, 'manage', 1795920134591, NULL, NULL, 1795920135728, 'XVHm');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (3, 3, X'9453A541B19783D11FB65B0B8DB538083335F1CF20B244647243D52D761E2A60', NULL, 'manage', 1795920134642, NULL, NULL, 1795920135769, 'X71r');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (4, 4, X'3F8AD1F42ACD3C565908480E680CD0652645F80A7AD8004C8FC82BC4A0DAD55B', NULL, 'manage', 1795920134694, NULL, NULL, 1795920135808, 'WJza');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (6, 2, X'6BEA14A0B5FCFC9C0350A0A3E5E5F405B14246FF2F85EDA68BC42D7C54FF44F5', 'read', 'read', 1795920134796, NULL, NULL, NULL, 'hQrt');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (7, 2, X'BE72FD159BEB1639CBE188207268CD3018435C669494600CEE699F5EF7EECDF3', 'create', 'create', 1795920134858, NULL, NULL, NULL, 'q2Zw');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (8, 2, X'6675054D62E4F2582FC3E28A957C078EE7E87283033940387CAC2CD6DE4C5880', 'lasting', 'manage', 1795920134901, 4102444800000, NULL, NULL, '7iWu');
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at, hint) VALUES (9, 2, X'D97E9C31C3A8A52F48B98EE6BC5E4930A127E414CDCC00D3D4C965F1AB7D33CA', 'past', 'manage', 1795920134953, 1769904000000, NULL, NULL, 'deo2');
INSERT INTO block_list_parts (import_id, part, patterns) VALUES (1883158770825403391, 0, 'ads.example
tracker.example/pixel');
INSERT INTO block_lists (source, import_id, reason, patterns, event_id) VALUES ('list', 1883158770825403391, 'other', 2, 41);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('evil.example', 'block', 'malware', NULL, 36);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('temporary.example', 'block', 'other', 4102444800000, 37);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('www.evil.example/good', 'allow', 'other', NULL, 38);
INSERT INTO change_counter (id, number) VALUES (1, 34);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (1, 'domains', '', 1795920135040);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (10, 'link', 'retired', 1795920152440);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (11, 'link', 'plain', 1795920152486);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (12, 'owner', '2', 1795920152539);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (13, 'link', 'lasting', 1795920152591);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (14, 'owner', '4', 1795920152639);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (15, 'owner', '2', 1795920152689);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (16, 'owner', '3', 1795920152746);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (17, 'domains', '', 1795920152806);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (18, 'domains', '', 1795920152869);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (19, 'domains', '', 1795920152935);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (2, 'keys', '', 1795920135122);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (20, 'domains', '', 1795920152995);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (21, 'domains', '', 1795920153031);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (22, 'owner', '5', 1795920153081);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (23, 'link', 'left', 1795920153095);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (24, 'keys', '', 1795920153135);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (25, 'domains', '', 1795920153154);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (26, 'owner', '5', 1795920153182);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (27, 'blocks', '', 1795920153240);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (28, 'blocks', '', 1795920153281);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (29, 'blocks', '', 1795920153330);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (3, 'keys', '', 1795920135199);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (30, 'blocks', '', 1795920153368);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (31, 'blocks', '', 1795920153409);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (32, 'blocks', '', 1795920153451);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (33, 'link', 'plain', 1795920153502);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (34, 'link', 'plain', 1795920153544);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (4, 'codes', 'folded', 1795920135882);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (5, 'codes', 'wide', 1795920135882);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (6, 'link', 'notice', 1795920152262);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (7, 'link', '-dash_', 1795920152316);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (8, 'link', 'edited', 1795920152356);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (9, 'link', 'edited', 1795920152387);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (1, 6, 0, 6, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (17, 9007199254740997, 9007199254740991, 9007199254740997, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (18, 3, 3, 3, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (2, 6, 0, 6, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (20, 1, 1, 1, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (21, 1, 1, 1, 0);
INSERT INTO click_days (day, link_id, count) VALUES (20752, 1, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20752, 17, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20752, 2, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20753, 1, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20753, 17, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20753, 2, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20756, 1, 3);
INSERT INTO click_days (day, link_id, count) VALUES (20756, 17, 3);
INSERT INTO click_days (day, link_id, count) VALUES (20756, 2, 3);
INSERT INTO click_months (month, owner_id, link_id, count) VALUES (202611, 1, 1, 6);
INSERT INTO click_months (month, owner_id, link_id, count) VALUES (202611, 2, 17, 6);
INSERT INTO click_months (month, owner_id, link_id, count) VALUES (202611, 2, 2, 6);
INSERT INTO click_writers (producer_id, sequence) VALUES (-2853088275402435296, 2);
INSERT INTO code_kinds (kind) VALUES ('folded');
INSERT INTO code_kinds (kind) VALUES ('wide');
INSERT INTO day_close (id, closed_day, closed_until, position, open_month) VALUES (1, 20756, 20785, 0, 202611);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20752, 2, 1);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20752, 5, 1);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20753, 2, 2);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20753, 5, 2);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20756, 2, 3);
INSERT INTO deleted_click_days (day, owner_id, clicks) VALUES (20756, 5, 3);
INSERT INTO domains (host, owner_id, home_url, default_at, created_at) VALUES ('go.acme.example', 2, NULL, NULL, 1795920135040);
INSERT INTO domains (host, owner_id, home_url, default_at, created_at) VALUES ('links.acme.example:8443', 2, 'https://example.org/home', 1795920152869, 1795920152806);
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
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (19, 15, 'domain', 'go.acme.example', 'null', '{"owner_id":2,"home_url":null,"default_at":null,"created_at":1795920135040}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (2, 2, 'plan', 'basic', 'null', '{"max_links":null,"links_per_day":null,"request_rate":null,"burst":null,"custom_codes":false}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (20, 16, 'key', '10', '{"revoked_at":null}', '{"revoked_at":1795920135122}');
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
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (30, 27, 'owner', '4', '{"suspended_reason":null,"suspended_at":null}', '{"suspended_reason":"spam","suspended_at":1795920152639}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (31, 28, 'owner', '2', '{"fallback_url":null}', '{"fallback_url":"https://example.org/ended"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (32, 29, 'owner', '3', '{"name":"büro"}', '{"name":"Büro & Söhne"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (33, 30, 'domain', 'links.acme.example:8443', 'null', '{"owner_id":2,"home_url":"https://example.org/home","default_at":null,"created_at":1795920152806}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (34, 31, 'domain', 'links.acme.example:8443', '{"owner_id":2,"home_url":"https://example.org/home","default_at":null,"created_at":1795920152806}', '{"owner_id":2,"home_url":"https://example.org/home","default_at":1795920152869,"created_at":1795920152806}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (35, 32, 'domain', 'left.example', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (36, 33, 'domain', 'removed.example', 'null', '{"owner_id":1,"home_url":null,"default_at":null,"created_at":1795920152995}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (37, 34, 'domain', 'removed.example', '{"owner_id":1,"home_url":null,"default_at":null,"created_at":1795920152995}', 'null');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (38, 35, 'owner', '5', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (39, 36, 'block', 'evil.example', 'null', '{"action":"block","reason":"malware","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (4, 4, 'operator key', '1', '{"revoked_at":null}', '{"revoked_at":1795920134502}');
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
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (1, 1795920134357, 'alice', 'plan add', 'gold', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (10, 1795920134796, 'alice', 'key add', '6', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (11, 1795920134858, 'alice', 'key add', '7', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (12, 1795920134901, 'alice', 'key add', '8', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (13, 1795920134953, 'alice', 'key add', '9', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (14, 1795920135002, 'alice', 'key add', '10', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (15, 1795920135040, 'alice', 'domain add', 'go.acme.example', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (16, 1795920135122, 'alice', 'key revoke', '10', 2, 'acme', 'other', 'seen in a log', NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (17, 1795920135199, 'alice', 'key expire', '9', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (18, 1795920152224, 'key 1', 'key add', '11', 1, 'default', 'other', NULL, NULL, 1, 'owner_key', 1, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (19, 1795920152262, 'alice', 'link disable', 'notice', 2, 'acme', 'legal', 'Anzeige vom 1. März', '4711', 1, NULL, NULL, 'done', 1795920152273, 6090264628316266054, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (2, 1795920134398, 'alice', 'plan add', 'basic', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (20, 1795920152316, 'alice', 'link disable', '-dash_', 2, 'acme', 'phishing', NULL, NULL, 1, NULL, NULL, 'done', 1795920152322, 8973690448941488371, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (21, 1795920152356, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (22, 1795920152387, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (23, 1795920152440, 'alice', 'link delete', 'retired', 2, 'acme', 'owner-request', NULL, NULL, 1, NULL, NULL, 'done', 1795920152452, -3430207150539351796, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (24, 1795920152486, 'alice', 'link edit', 'plain', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (25, 1795920152539, 'alice', 'owner edit', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (26, 1795920152591, 'alice', 'link pause', 'lasting', 2, 'acme', 'other', NULL, '4712', 1, NULL, NULL, 'done', 1795920152601, -4683500076800397335, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (27, 1795920152639, 'alice', 'owner suspend', 'spammer', 4, 'spammer', 'spam', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (28, 1795920152689, 'alice', 'owner edit', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (29, 1795920152746, 'alice', 'owner rename', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (3, 1795920134454, 'alice', 'operator add', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (30, 1795920152806, 'alice', 'domain add', 'links.acme.example:8443', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (31, 1795920152869, 'alice', 'domain default', 'links.acme.example:8443', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (32, 1795920152935, 'alice', 'domain add', 'left.example', 5, 'leaving', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (33, 1795920152995, 'alice', 'domain add', 'removed.example', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (34, 1795920153031, 'alice', 'domain remove', 'removed.example', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (35, 1795920153081, 'alice', 'owner delete', 'leaving', 5, 'leaving', 'other', NULL, NULL, 4, NULL, NULL, 'done', 1795920153191, 4012319237643408489, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (36, 1795920153240, 'alice', 'block add', 'evil.example', NULL, NULL, 'malware', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (37, 1795920153281, 'alice', 'block add', 'temporary.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (38, 1795920153330, 'alice', 'block allow', 'www.evil.example/good', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (39, 1795920153368, 'alice', 'block add', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (4, 1795920134502, 'alice', 'operator revoke', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (40, 1795920153409, 'alice', 'block remove', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (41, 1795920153451, 'alice', 'block import', 'list', NULL, NULL, 'other', NULL, NULL, 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (42, 1795920153502, 'alice', 'link disable', 'plain', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, 'done', 1795920153507, -7551695696993345372, NULL, 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (43, 1795920153544, 'alice', 'undo', '42', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL, 'done', 1795920153554, -6361797647350504758, '{"unknown":{"first":[],"count":0},"skipped":{"first":[],"count":0},"changed":0,"position":44}', 0);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (5, 1795920134540, 'alice', 'operator add', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (6, 1795920134591, 'alice', 'owner add', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (7, 1795920134642, 'alice', 'owner add', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (8, 1795920134694, 'alice', 'owner add', 'spammer', 4, 'spammer', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id, status, finished_at, instance_id, skipped, skipped_count) VALUES (9, 1795920134748, 'alice', 'owner add', 'leaving', 5, 'leaving', 'other', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO folded_codes (link_id, folded) VALUES (17, 'IMPORTED');
INSERT INTO folded_codes (link_id, folded) VALUES (18, 'EXPIRED');
INSERT INTO folded_codes (link_id, folded) VALUES (19, 'OFF');
INSERT INTO folded_codes (link_id, folded) VALUES (20, 'GRÖSSE/1.0');
INSERT INTO folded_codes (link_id, folded) VALUES (21, 'RESTING');
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (1, 1, 'once', X'CCEC0AE9FDE1F0E5E2D421B8DFAC110C6719E5AD0AB9676E7B83AB3AA5CF7B5F', 'once', 'http://127.0.0.1:40525', 4102444800000, NULL, NULL, NULL, NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (2, 1, 'short-lived', X'2F1DCCBEF47CE339DC57002CA75B617BDFF128A70E81B88E9B3105AF30FF48DA', 'short-lived', 'http://127.0.0.1:40525', 1795920135818, NULL, NULL, NULL, NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (3, 2, 'branded', X'F2116681DD6CD3A40BD86B5D8CEB595B0777A1F6EB6E1E6462ABD262EA9E8EE3', 'branded', 'http://127.0.0.1:33083', 4102444800000, NULL, NULL, 'http://go.acme.example', NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin, event_id) VALUES (4, 1, 'derived', X'779D29A8C40861C3277F337A58A2B90F64817385380E0AF385FFE20DBE513274', '', 'http://127.0.0.1:33083', 4102444800000, 11, X'8BD3169F0A1488159DA4C7E246964FE6DEEA6679EDDD9769DD561447DFE70F20', '{"owner":"default","expires_at":null,"is_default":false}', 18);
INSERT INTO installation (id, secret) VALUES (1, 'd465bbf410c84319d475dacd94e828a1');
INSERT INTO instances (id, kind, version, started_at, seen_at) VALUES (-3559401239094667258, 'server', '0.1.0', 1795920136529, 1795920136560);
INSERT INTO instances (id, kind, version, started_at, seen_at) VALUES (1, 'server', '0.1.0', 1, 1);
INSERT INTO instances (id, kind, version, started_at, seen_at) VALUES (8536214414262725601, 'server', '0.1.0', 1795920152193, 1795920152208);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (1, 1, 'plain', 'http://192.0.2.1:8080/a%20b?c=d&e#f', '192.0.2.1', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135224, 717233175, NULL, 0, 0, 'Übung 7', 1, 1795920152486);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (10, 3, 'blocked', 'https://www.evil.example/login', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135783, -1155042429, NULL, 0, 0, NULL, 3, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (11, 3, 'excepted', 'https://www.evil.example/good/', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135792, -662879558, NULL, 0, 0, NULL, 3, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (12, 3, 'listed', 'https://ads.example/', 'ads.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135800, -1894700989, NULL, 0, 0, NULL, 3, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (13, 4, 'spam', 'https://spam.example/', 'spam.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135808, 2139682089, NULL, 0, 0, NULL, 4, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (14, NULL, 'left', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 35, 1795920135812, -931394136, NULL, 0, 0, NULL, NULL, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (15, 1, 'once', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135815, -1522279255, NULL, 0, 0, NULL, 1, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (16, 1, 'short-lived', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135818, -2003662983, NULL, 0, 0, NULL, 1, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (17, 2, 'imported', 'https://example.net/', 'example.net', 'Imported', 'old', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, 1583020799000, 1043845230, NULL, 0, 0, 'erp/1', 0, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (18, 2, 'expired', 'https://example.net/expired', 'example.net', NULL, NULL, NULL, 1609459200000, 0, NULL, NULL, NULL, NULL, NULL, 1577836800000, -1357024032, 'https://example.net/ended', 0, 0, NULL, 0, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (19, 2, 'off', 'https://example.net/off', 'example.net', NULL, NULL, 'other', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135867, 1546378810, NULL, 0, 0, NULL, 0, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (2, 2, 'spring', 'https://example.org/spring', 'example.org', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795920135728, 872658163, NULL, 0, 0, NULL, 2, 1795920135820);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (20, 2, 'Größe/1.0', 'https://example.net/wide?a=1', 'example.net', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135867, -1675973490, NULL, 1, 0, NULL, 0, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (21, 2, 'resting', 'https://example.net/rest', 'example.net', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135867, -1484386281, NULL, 0, 1, NULL, 0, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (22, 2, 'branded', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920152220, 466473459, NULL, 0, 0, NULL, 2, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (3, 2, 'lasting', 'https://example.org/', 'example.org', NULL, NULL, NULL, 4102444800000, 1, 'H', 6, '#000080', '#ffffee', NULL, 1795920135739, 178643992, NULL, 0, 1, NULL, 2, 1795920152591);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (4, 2, 'edited', 'https://example.org/after', 'example.org', NULL, 'autumn', NULL, 4102444800000, 0, NULL, NULL, NULL, NULL, NULL, 1795920135750, -348534547, NULL, 0, 0, NULL, 2, 1795920152387);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (5, 2, 'notice', 'https://example.org/notice', 'example.org', NULL, NULL, 'legal', NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795920135757, -158249184, NULL, 0, 0, NULL, 2, 1795920135824);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (6, 2, '-dash_', 'https://example.org/dash', 'example.org', NULL, NULL, 'phishing', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135761, -648860276, NULL, 0, 0, NULL, 2, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (7, NULL, 'retired', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 23, 1795920135764, 1294449377, NULL, 0, 0, NULL, NULL, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (8, 3, 'unicode', 'https://münchen.example/ä b?ü=ö', 'xn--mnchen-3ya.example', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135770, -4128349, NULL, 0, 0, NULL, 3, NULL);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused, external_id, created_by, updated_at) VALUES (9, 3, 'punycode', 'HTTPS://user@xn--mnchen-3ya.EXAMPLE./', 'xn--mnchen-3ya.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795920135773, -805824310, NULL, 0, 0, NULL, 3, NULL);
INSERT INTO operator_keys (id, name, hash, role, created_at, revoked_at, last_used_at, hint, expires_at) VALUES (1, 'billing', X'C22BAC2A6B12C48CBB3C6F623F90110A54C4C7F42574389736EC8CA632C13845', 'provisioner', 1795920134454, 1795920134502, NULL, 'Jvj9', NULL);
INSERT INTO operator_keys (id, name, hash, role, created_at, revoked_at, last_used_at, hint, expires_at) VALUES (2, 'billing', X'9BC36AF9031A9BDB8625B742352F836A3E905A6C20D18395E28A6BEFB2140E49', 'auditor', 1795920134540, NULL, NULL, 'qCkM', NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at, external_id) VALUES (1, 'default', 'unlimited', 3, 20786, 3, NULL, 1795920134254, NULL, 202611, 3, NULL, NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at, external_id) VALUES (2, 'acme', 'gold', 11, 20786, 7, NULL, 1795920134591, 'https://example.org/ended', 202611, 12, NULL, 'customer/7');
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at, external_id) VALUES (3, 'Büro & Söhne', 'pro', 5, 20786, 5, NULL, 1795920134642, NULL, 202611, 5, NULL, NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month, suspended_at, external_id) VALUES (4, 'spammer', 'unlimited', 1, 20786, 1, 'spam', 1795920134694, NULL, 202611, 1, 1795920152639, NULL);
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
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0001_initial_schema', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0002_link_fallback', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0003_codes_queries_actors', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0004_link_pauses', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0005_derived_keys', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0006_events_of_owner_keys', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0007_operator_keys', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0008_usage', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0009_domains', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0010_deleted_links', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0011_contract', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0012_report_days', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0013_webhooks', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0014_external_ids', 1795920134);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0015_plans_and_events', 1795920134);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted, plan) VALUES (202611, 1, NULL, 0, 0, NULL, 6, NULL, NULL);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted, plan) VALUES (202611, 2, NULL, 0, 0, NULL, 18, 1, NULL);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted, plan) VALUES (202611, 5, 'leaving', 0, 1, 0, 6, 1, 'unlimited');
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 1, -2239652090766737028, 3);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 2, -2239652090766737028, 9);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 3, -2239652090766737028, 5);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 4, -2239652090766737028, 1);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 5, -2239652090766737028, 1);
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
CREATE INDEX events_owner_id_idx ON events (owner_id, id) WHERE owner_id IS NOT NULL;
COMMIT;
