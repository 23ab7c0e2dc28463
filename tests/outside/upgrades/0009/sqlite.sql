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
    , fallback_url text, created_month bigint NOT NULL DEFAULT 0, created_in_month bigint NOT NULL DEFAULT 0);
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
    , actor_type text, actor_id bigint);
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
        nonce blob, origin text,
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
    );
CREATE TABLE usage_months (
        month bigint NOT NULL,
        owner_id bigint NOT NULL,
        owner text,
        requests bigint NOT NULL DEFAULT 0,
        links_created bigint NOT NULL DEFAULT 0,
        links bigint,
        clicks bigint NOT NULL DEFAULT 0,
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
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (1, 1, X'701EDB8515832A79BD272722D821A18500DBEA65258947F754BC8772F09C2D58', NULL, 'manage', 1795721817482, NULL, NULL, 1795721818721);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (10, 2, X'B82322017476738510D60C3E6A0FC0E2CE3E21A0D6A5983E261E30A49B207F00', 'leaked', 'full', 1795721818280, NULL, 1795721818551, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (2, 2, X'6D8FA283BB34D9C5B772CBEBE0D5EE0DF47F2BBB6E9F487C00E79D78E5B75663', NULL, 'full', 1795721817798, NULL, NULL, 1795721819184);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (3, 3, X'652F1D9D47A1CB2A47C7A1475D2ED4719D48DFBE234431E5BFAF72EC07413EBF', NULL, 'full', 1795721817812, NULL, NULL, 1795721819295);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (4, 4, X'55E2C0E1ABAAFE99B624BA39B0D34429F3517A9812A598E3A0F607A60CFD2E9B', NULL, 'full', 1795721817855, NULL, NULL, 1795721819325);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (6, 2, X'4DF37EE6FB645AF0F0D82801AE34D72D6F8F9EAC14C9B12C8F27312A4F6A1D4C', 'read', 'read', 1795721818011, NULL, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (7, 2, X'BC2FDFCBB629049F7985DDD2621EDCF95434EAB550B437BA29B574A7274F94E4', 'create', 'create', 1795721818045, NULL, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (8, 2, X'F60274FFA4463F2CA9B5B1429CBA541BFD72E6E5E6AC8CABB37DBC365BB1F318', 'lasting', 'full', 1795721818144, 4102444800000, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (9, 2, X'FB0111C71AD05BA1707B4F2836093DFD6E4CC195A763406982CBE670C91693F4', 'past', 'full', 1795721818228, 1769904000000, NULL, NULL);
INSERT INTO block_list_parts (import_id, part, patterns) VALUES (1882950815931281548, 0, 'ads.example
tracker.example/pixel');
INSERT INTO block_lists (source, import_id, reason, patterns, event_id) VALUES ('list', 1882950815931281548, 'other', 2, 38);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('evil.example', 'block', 'malware', NULL, 33);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('temporary.example', 'block', 'other', 4102444800000, 34);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('www.evil.example/good', 'allow', 'other', NULL, 35);
INSERT INTO change_counter (id, number) VALUES (1, 32);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (1, 'domains', '', 1795721818345);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (10, 'link', 'retired', 1795721831171);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (11, 'link', 'lasting', 1795721831316);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (12, 'owner', '4', 1795721831420);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (13, 'owner', '2', 1795721831458);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (14, 'owner', '3', 1795721831564);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (15, 'domains', '', 1795721831602);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (16, 'domains', '', 1795721831659);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (17, 'domains', '', 1795721831716);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (18, 'domains', '', 1795721831786);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (19, 'domains', '', 1795721831839);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (2, 'keys', '', 1795721818551);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (20, 'owner', '5', 1795721831939);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (21, 'link', 'left', 1795721831942);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (22, 'keys', '', 1795721831963);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (23, 'domains', '', 1795721831970);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (24, 'owner', '5', 1795721831976);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (25, 'blocks', '', 1795721832036);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (26, 'blocks', '', 1795721832086);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (27, 'blocks', '', 1795721832126);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (28, 'blocks', '', 1795721832139);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (29, 'blocks', '', 1795721832158);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (3, 'keys', '', 1795721818675);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (30, 'blocks', '', 1795721832209);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (31, 'link', 'plain', 1795721832289);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (32, 'link', 'plain', 1795721832326);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (4, 'codes', 'folded', 1795721819388);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (5, 'codes', 'wide', 1795721819388);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (6, 'link', 'notice', 1795721830954);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (7, 'link', '-dash_', 1795721830979);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (8, 'link', 'edited', 1795721831027);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (9, 'link', 'edited', 1795721831077);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (1, 6, 0, 6, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (17, 9007199254740997, 9007199254740991, 9007199254740997, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (18, 3, 3, 3, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (2, 6, 0, 6, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (20, 1, 1, 1, 0);
INSERT INTO click_counts (link_id, count, opening, closed, is_open) VALUES (21, 1, 1, 1, 0);
INSERT INTO click_days (day, link_id, count) VALUES (20749, 1, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20749, 17, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20749, 2, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20750, 1, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20750, 17, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20750, 2, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20753, 1, 3);
INSERT INTO click_days (day, link_id, count) VALUES (20753, 17, 3);
INSERT INTO click_days (day, link_id, count) VALUES (20753, 2, 3);
INSERT INTO click_months (month, owner_id, link_id, count) VALUES (202611, 1, 1, 6);
INSERT INTO click_months (month, owner_id, link_id, count) VALUES (202611, 2, 17, 6);
INSERT INTO click_months (month, owner_id, link_id, count) VALUES (202611, 2, 2, 6);
INSERT INTO click_writers (producer_id, sequence) VALUES (745985612069922670, 2);
INSERT INTO code_kinds (kind) VALUES ('folded');
INSERT INTO code_kinds (kind) VALUES ('wide');
INSERT INTO day_close (id, closed_day, closed_until, position, open_month) VALUES (1, 20753, 20782, 0, 202611);
INSERT INTO domains (host, owner_id, home_url, default_at, created_at) VALUES ('go.acme.example', 2, NULL, NULL, 1795721818345);
INSERT INTO domains (host, owner_id, home_url, default_at, created_at) VALUES ('links.acme.example:8443', 2, 'https://example.org/home', 1795721831659, 1795721831602);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (1, 15, 'domain', 'go.acme.example', 'null', '{"owner_id":2,"home_url":null,"default_at":null,"created_at":1795721818345}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (10, 28, 'domain', 'links.acme.example:8443', '{"owner_id":2,"home_url":"https://example.org/home","default_at":null,"created_at":1795721831602}', '{"owner_id":2,"home_url":"https://example.org/home","default_at":1795721831659,"created_at":1795721831602}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (11, 29, 'domain', 'left.example', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (12, 30, 'domain', 'removed.example', 'null', '{"owner_id":1,"home_url":null,"default_at":null,"created_at":1795721831786}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (13, 31, 'domain', 'removed.example', '{"owner_id":1,"home_url":null,"default_at":null,"created_at":1795721831786}', 'null');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (14, 32, 'owner', '5', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (15, 33, 'block', 'evil.example', 'null', '{"action":"block","reason":"malware","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (16, 34, 'block', 'temporary.example', 'null', '{"action":"block","reason":"other","until":4102444800000}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (17, 35, 'block', 'www.evil.example/good', 'null', '{"action":"allow","reason":"other","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (18, 36, 'block', 'removed.example', 'null', '{"action":"block","reason":"other","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (19, 37, 'block', 'removed.example', '{"action":"block","reason":"other","until":null}', 'null');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (2, 18, 'link', '5', '{"disabled_reason":null}', '{"disabled_reason":"legal"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (20, 39, 'link', '1', '{"disabled_reason":null}', '{"disabled_reason":"other"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (21, 40, 'link', '1', '{"disabled_reason":"other"}', '{"disabled_reason":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (3, 19, 'link', '6', '{"disabled_reason":null}', '{"disabled_reason":"phishing"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (4, 20, 'link', '4', '{"destination_url":"https://example.org/before"}', '{"destination_url":"https://example.org/after"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (5, 21, 'link', '4', '{"title":"Before","campaign":null,"expires_at":null}', '{"title":null,"campaign":"autumn","expires_at":4102444800000}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (6, 23, 'link', '3', '{"is_paused":0}', '{"is_paused":1}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (7, 24, 'owner', '4', '{"suspended_reason":null}', '{"suspended_reason":"spam"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (8, 26, 'owner', '3', '{"name":"büro"}', '{"name":"Büro & Söhne"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (9, 27, 'domain', 'links.acme.example:8443', 'null', '{"owner_id":2,"home_url":"https://example.org/home","default_at":null,"created_at":1795721831602}');
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (1, 1795721817620, 'alice', 'plan add', 'gold', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (10, 1795721818011, 'alice', 'key add', '6', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (11, 1795721818045, 'alice', 'key add', '7', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (12, 1795721818144, 'alice', 'key add', '8', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (13, 1795721818228, 'alice', 'key add', '9', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (14, 1795721818280, 'alice', 'key add', '10', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (15, 1795721818345, 'alice', 'domain add', 'go.acme.example', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (16, 1795721818551, 'alice', 'key revoke', '10', 2, 'acme', 'other', 'seen in a log', NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (17, 1795721818675, 'alice', 'key expire', '9', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (18, 1795721830954, 'alice', 'link disable', 'notice', 2, 'acme', 'legal', 'Anzeige vom 1. März', '4711', 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (19, 1795721830979, 'alice', 'link disable', '-dash_', 2, 'acme', 'phishing', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (2, 1795721817639, 'alice', 'plan add', 'basic', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (20, 1795721831027, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (21, 1795721831077, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (22, 1795721831171, 'alice', 'link delete', 'retired', 2, 'acme', 'owner-request', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (23, 1795721831316, 'alice', 'link pause', 'lasting', 2, 'acme', 'other', NULL, '4712', 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (24, 1795721831420, 'alice', 'owner suspend', 'spammer', 4, 'spammer', 'spam', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (25, 1795721831458, 'alice', 'owner edit', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (26, 1795721831564, 'alice', 'owner rename', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (27, 1795721831602, 'alice', 'domain add', 'links.acme.example:8443', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (28, 1795721831659, 'alice', 'domain default', 'links.acme.example:8443', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (29, 1795721831716, 'alice', 'domain add', 'left.example', 5, 'leaving', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (3, 1795721817655, 'alice', 'operator add', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (30, 1795721831786, 'alice', 'domain add', 'removed.example', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (31, 1795721831839, 'alice', 'domain remove', 'removed.example', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (32, 1795721831939, 'alice', 'owner delete', 'leaving', 5, 'leaving', 'other', NULL, NULL, 4, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (33, 1795721832036, 'alice', 'block add', 'evil.example', NULL, NULL, 'malware', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (34, 1795721832086, 'alice', 'block add', 'temporary.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (35, 1795721832126, 'alice', 'block allow', 'www.evil.example/good', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (36, 1795721832139, 'alice', 'block add', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (37, 1795721832158, 'alice', 'block remove', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (38, 1795721832209, 'alice', 'block import', 'list', NULL, NULL, 'other', NULL, NULL, 2, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (39, 1795721832289, 'alice', 'link disable', 'plain', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (4, 1795721817669, 'alice', 'operator revoke', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (40, 1795721832326, 'alice', 'undo', '39', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (5, 1795721817768, 'alice', 'operator add', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (6, 1795721817798, 'alice', 'owner add', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (7, 1795721817812, 'alice', 'owner add', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (8, 1795721817855, 'alice', 'owner add', 'spammer', 4, 'spammer', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (9, 1795721817910, 'alice', 'owner add', 'leaving', 5, 'leaving', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO folded_codes (link_id, folded) VALUES (17, 'IMPORTED');
INSERT INTO folded_codes (link_id, folded) VALUES (18, 'EXPIRED');
INSERT INTO folded_codes (link_id, folded) VALUES (19, 'OFF');
INSERT INTO folded_codes (link_id, folded) VALUES (20, 'GRÖSSE/1.0');
INSERT INTO folded_codes (link_id, folded) VALUES (21, 'RESTING');
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin) VALUES (1, 1, 'once', X'CCEC0AE9FDE1F0E5E2D421B8DFAC110C6719E5AD0AB9676E7B83AB3AA5CF7B5F', 'once', 'http://127.0.0.1:34411', 4102444800000, NULL, NULL, NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin) VALUES (2, 1, 'short-lived', X'2F1DCCBEF47CE339DC57002CA75B617BDFF128A70E81B88E9B3105AF30FF48DA', 'short-lived', 'http://127.0.0.1:34411', 1795721819341, NULL, NULL, NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin) VALUES (3, 2, 'branded', X'F2116681DD6CD3A40BD86B5D8CEB595B0777A1F6EB6E1E6462ABD262EA9E8EE3', 'branded', 'http://127.0.0.1:39821', 4102444800000, NULL, NULL, 'http://go.acme.example');
INSERT INTO installation (id, secret) VALUES (1, 'eed2ddff385f785d580dd3284012b2ad');
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (1, 1, 'plain', 'http://192.0.2.1:8080/a%20b?c=d&e#f', '192.0.2.1', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721818721, 717233175, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (10, 3, 'blocked', 'https://www.evil.example/login', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819309, -1155042429, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (11, 3, 'excepted', 'https://www.evil.example/good/', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819310, -662879558, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (12, 3, 'listed', 'https://ads.example/', 'ads.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819315, -1894700989, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (13, 4, 'spam', 'https://spam.example/', 'spam.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819325, 2139682089, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (14, NULL, 'left', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 32, 1795721819328, -931394136, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (15, 1, 'once', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819335, -1522279255, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (16, 1, 'short-lived', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819341, -2003662983, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (17, 2, 'imported', 'https://example.net/', 'example.net', 'Imported', 'old', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, 1583020799000, 1043845230, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (18, 2, 'expired', 'https://example.net/expired', 'example.net', NULL, NULL, NULL, 1609459200000, 0, NULL, NULL, NULL, NULL, NULL, 1577836800000, -1357024032, 'https://example.net/ended', 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (19, 2, 'off', 'https://example.net/off', 'example.net', NULL, NULL, 'other', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819386, 1546378810, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (2, 2, 'spring', 'https://example.org/spring', 'example.org', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795721819184, 872658163, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (20, 2, 'Größe/1.0', 'https://example.net/wide?a=1', 'example.net', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819386, -1675973490, NULL, 1, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (21, 2, 'resting', 'https://example.net/rest', 'example.net', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819386, -1484386281, NULL, 0, 1);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (22, 2, 'branded', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721830872, 466473459, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (3, 2, 'lasting', 'https://example.org/', 'example.org', NULL, NULL, NULL, 4102444800000, 1, 'H', 6, '#000080', '#ffffee', NULL, 1795721819215, 178643992, NULL, 0, 1);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (4, 2, 'edited', 'https://example.org/after', 'example.org', NULL, 'autumn', NULL, 4102444800000, 0, NULL, NULL, NULL, NULL, NULL, 1795721819238, -348534547, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (5, 2, 'notice', 'https://example.org/notice', 'example.org', NULL, NULL, 'legal', NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795721819255, -158249184, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (6, 2, '-dash_', 'https://example.org/dash', 'example.org', NULL, NULL, 'phishing', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819275, -648860276, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (7, NULL, 'retired', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 22, 1795721819281, 1294449377, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (8, 3, 'unicode', 'https://münchen.example/ä b?ü=ö', 'xn--mnchen-3ya.example', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819295, -4128349, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (9, 3, 'punycode', 'HTTPS://user@xn--mnchen-3ya.EXAMPLE./', 'xn--mnchen-3ya.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795721819300, -805824310, NULL, 0, 0);
INSERT INTO operator_keys (id, name, hash, role, created_at, revoked_at, last_used_at) VALUES (1, 'billing', X'D0715BD4E8144660EC4CCE788D6DCFDE16E9BDA5383D2038F99B4065AA3DBBAD', 'provisioner', 1795721817655, 1795721817669, NULL);
INSERT INTO operator_keys (id, name, hash, role, created_at, revoked_at, last_used_at) VALUES (2, 'billing', X'CB04DAC894F4B3CCE09DDC1FB652219AC425C3CE25C22966B0F461247E12BEBC', 'auditor', 1795721817768, NULL, NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month) VALUES (1, 'default', 'unlimited', 3, 20783, 3, NULL, 1795721817482, NULL, 202611, 3);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month) VALUES (2, 'acme', 'gold', 11, 20783, 7, NULL, 1795721817798, 'https://example.org/ended', 202611, 12);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month) VALUES (3, 'Büro & Söhne', 'pro', 5, 20783, 5, NULL, 1795721817812, NULL, 202611, 5);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month) VALUES (4, 'spammer', 'unlimited', 1, 20783, 1, 'spam', 1795721817855, NULL, 202611, 1);
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
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0001_initial_schema', 1795721817);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0002_link_fallback', 1795721817);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0003_codes_queries_actors', 1795721817);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0004_link_pauses', 1795721817);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0005_derived_keys', 1795721817);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0006_events_of_owner_keys', 1795721817);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0007_operator_keys', 1795721817);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0008_usage', 1795721817);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0009_domains', 1795721817);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks) VALUES (202611, 1, NULL, 0, 0, NULL, 6);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks) VALUES (202611, 2, NULL, 0, 0, NULL, 18);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks) VALUES (202611, 5, 'leaving', 0, 1, 0, 6);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 1, 7144691726500025000, 3);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 2, 7144691726500025000, 9);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 3, 7144691726500025000, 5);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 4, 7144691726500025000, 1);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 5, 7144691726500025000, 1);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES ('api_keys', 10);
INSERT INTO sqlite_sequence (name, seq) VALUES ('event_changes', 21);
INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 40);
INSERT INTO sqlite_sequence (name, seq) VALUES ('idempotency_keys', 3);
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
COMMIT;
