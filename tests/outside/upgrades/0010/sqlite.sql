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
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (1, 1, X'73487A3EA579EE2A2FAC5DA072A6F0E45D9CA4B8D38A5250EC62A309835F4E90', NULL, 'manage', 1795829819226, NULL, NULL, 1795829823514);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (10, 2, X'D58288D026A941C023EB2CED4D86DB35F907ED8D16EAE79DF375938E090A2C81', 'leaked', 'full', 1795829821837, NULL, 1795829822764, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (11, 1, X'96B5264C6B30E99CD40B1CDF2F1606FD4391183EC53BBAFBC1AADE5529A2D68B', 'derived', 'read', 1795829842563, NULL, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (2, 2, X'701ED85F7677714E7A76AB5EC9A21411045F04D74C2F75173C0BC5B9201B8A64', NULL, 'full', 1795829820302, NULL, NULL, 1795829827534);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (3, 3, X'8EFE94E6DA0F5F0CBA267C8ED9C1AB103A0628C28EC66C706AFE320439494F9A', NULL, 'full', 1795829820483, NULL, NULL, 1795829827623);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (4, 4, X'EE0A524366E9BCCD2C6187F5D4901165148C011FCBE9EEACB5C790123E774881', NULL, 'full', 1795829820763, NULL, NULL, 1795829827842);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (6, 2, X'87CDF8F0B714099C56AED0D941CE8B68134E2763973DD27BC87414019003E4E3', 'read', 'read', 1795829821137, NULL, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (7, 2, X'028A609EFF3F829DB2F38E34AF6F43B84AC3A3C5C165C4B3547521ECB983BE5D', 'create', 'create', 1795829821346, NULL, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (8, 2, X'F97CE8610D77042A946B5729FCCD6446635310CEFB58A73C404F45FC6C91B429', 'lasting', 'full', 1795829821380, 4102444800000, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (9, 2, X'8611D06C1BA67CD70F75B172A8E2EB51F18E9BF7173F130BBC103CEFE14BBC7D', 'past', 'full', 1795829821593, 1769904000000, NULL, NULL);
INSERT INTO block_list_parts (import_id, part, patterns) VALUES (1883064077590226029, 0, 'ads.example
tracker.example/pixel');
INSERT INTO block_lists (source, import_id, reason, patterns, event_id) VALUES ('list', 1883064077590226029, 'other', 2, 39);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('evil.example', 'block', 'malware', NULL, 34);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('temporary.example', 'block', 'other', 4102444800000, 35);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('www.evil.example/good', 'allow', 'other', NULL, 36);
INSERT INTO change_counter (id, number) VALUES (1, 32);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (1, 'domains', '', 1795829822006);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (10, 'link', 'retired', 1795829844053);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (11, 'link', 'lasting', 1795829844535);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (12, 'owner', '4', 1795829844785);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (13, 'owner', '2', 1795829844908);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (14, 'owner', '3', 1795829845083);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (15, 'domains', '', 1795829845315);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (16, 'domains', '', 1795829845381);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (17, 'domains', '', 1795829845434);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (18, 'domains', '', 1795829845582);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (19, 'domains', '', 1795829845670);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (2, 'keys', '', 1795829822764);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (20, 'owner', '5', 1795829845789);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (21, 'link', 'left', 1795829845829);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (22, 'keys', '', 1795829845985);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (23, 'domains', '', 1795829846039);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (24, 'owner', '5', 1795829846113);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (25, 'blocks', '', 1795829846216);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (26, 'blocks', '', 1795829846309);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (27, 'blocks', '', 1795829846489);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (28, 'blocks', '', 1795829846657);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (29, 'blocks', '', 1795829846801);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (3, 'keys', '', 1795829823388);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (30, 'blocks', '', 1795829846945);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (31, 'link', 'plain', 1795829847045);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (32, 'link', 'plain', 1795829847229);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (4, 'codes', 'wide', 1795829828436);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (5, 'codes', 'folded', 1795829828436);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (6, 'link', 'notice', 1795829842880);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (7, 'link', '-dash_', 1795829843197);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (8, 'link', 'edited', 1795829843509);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (9, 'link', 'edited', 1795829843744);
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
INSERT INTO click_writers (producer_id, sequence) VALUES (9010683004557207087, 2);
INSERT INTO code_kinds (kind) VALUES ('folded');
INSERT INTO code_kinds (kind) VALUES ('wide');
INSERT INTO day_close (id, closed_day, closed_until, position, open_month) VALUES (1, 20755, 20784, 0, 202611);
INSERT INTO domains (host, owner_id, home_url, default_at, created_at) VALUES ('go.acme.example', 2, NULL, NULL, 1795829822006);
INSERT INTO domains (host, owner_id, home_url, default_at, created_at) VALUES ('links.acme.example:8443', 2, 'https://example.org/home', 1795829845381, 1795829845315);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (1, 15, 'domain', 'go.acme.example', 'null', '{"owner_id":2,"home_url":null,"default_at":null,"created_at":1795829822006}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (10, 29, 'domain', 'links.acme.example:8443', '{"owner_id":2,"home_url":"https://example.org/home","default_at":null,"created_at":1795829845315}', '{"owner_id":2,"home_url":"https://example.org/home","default_at":1795829845381,"created_at":1795829845315}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (11, 30, 'domain', 'left.example', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (12, 31, 'domain', 'removed.example', 'null', '{"owner_id":1,"home_url":null,"default_at":null,"created_at":1795829845582}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (13, 32, 'domain', 'removed.example', '{"owner_id":1,"home_url":null,"default_at":null,"created_at":1795829845582}', 'null');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (14, 33, 'owner', '5', NULL, NULL);
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (15, 34, 'block', 'evil.example', 'null', '{"action":"block","reason":"malware","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (16, 35, 'block', 'temporary.example', 'null', '{"action":"block","reason":"other","until":4102444800000}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (17, 36, 'block', 'www.evil.example/good', 'null', '{"action":"allow","reason":"other","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (18, 37, 'block', 'removed.example', 'null', '{"action":"block","reason":"other","until":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (19, 38, 'block', 'removed.example', '{"action":"block","reason":"other","until":null}', 'null');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (2, 19, 'link', '5', '{"disabled_reason":null}', '{"disabled_reason":"legal"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (20, 40, 'link', '1', '{"disabled_reason":null}', '{"disabled_reason":"other"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (21, 41, 'link', '1', '{"disabled_reason":"other"}', '{"disabled_reason":null}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (3, 20, 'link', '6', '{"disabled_reason":null}', '{"disabled_reason":"phishing"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (4, 21, 'link', '4', '{"destination_url":"https://example.org/before"}', '{"destination_url":"https://example.org/after"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (5, 22, 'link', '4', '{"title":"Before","campaign":null,"expires_at":null}', '{"title":null,"campaign":"autumn","expires_at":4102444800000}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (6, 24, 'link', '3', '{"is_paused":0}', '{"is_paused":1}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (7, 25, 'owner', '4', '{"suspended_reason":null}', '{"suspended_reason":"spam"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (8, 27, 'owner', '3', '{"name":"büro"}', '{"name":"Büro & Söhne"}');
INSERT INTO event_changes (id, event_id, kind, subject, before, after) VALUES (9, 28, 'domain', 'links.acme.example:8443', 'null', '{"owner_id":2,"home_url":"https://example.org/home","default_at":null,"created_at":1795829845315}');
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (1, 1795829819425, 'alice', 'plan add', 'gold', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (10, 1795829821137, 'alice', 'key add', '6', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (11, 1795829821346, 'alice', 'key add', '7', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (12, 1795829821380, 'alice', 'key add', '8', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (13, 1795829821593, 'alice', 'key add', '9', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (14, 1795829821837, 'alice', 'key add', '10', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (15, 1795829822006, 'alice', 'domain add', 'go.acme.example', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (16, 1795829822764, 'alice', 'key revoke', '10', 2, 'acme', 'other', 'seen in a log', NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (17, 1795829823388, 'alice', 'key expire', '9', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (18, 1795829842563, 'key 1', 'key add', '11', 1, 'default', 'other', NULL, NULL, 1, 'owner_key', 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (19, 1795829842880, 'alice', 'link disable', 'notice', 2, 'acme', 'legal', 'Anzeige vom 1. März', '4711', 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (2, 1795829819654, 'alice', 'plan add', 'basic', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (20, 1795829843197, 'alice', 'link disable', '-dash_', 2, 'acme', 'phishing', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (21, 1795829843509, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (22, 1795829843744, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (23, 1795829844053, 'alice', 'link delete', 'retired', 2, 'acme', 'owner-request', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (24, 1795829844535, 'alice', 'link pause', 'lasting', 2, 'acme', 'other', NULL, '4712', 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (25, 1795829844785, 'alice', 'owner suspend', 'spammer', 4, 'spammer', 'spam', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (26, 1795829844908, 'alice', 'owner edit', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (27, 1795829845083, 'alice', 'owner rename', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (28, 1795829845315, 'alice', 'domain add', 'links.acme.example:8443', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (29, 1795829845381, 'alice', 'domain default', 'links.acme.example:8443', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (3, 1795829819934, 'alice', 'operator add', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (30, 1795829845434, 'alice', 'domain add', 'left.example', 5, 'leaving', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (31, 1795829845582, 'alice', 'domain add', 'removed.example', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (32, 1795829845670, 'alice', 'domain remove', 'removed.example', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (33, 1795829845789, 'alice', 'owner delete', 'leaving', 5, 'leaving', 'other', NULL, NULL, 4, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (34, 1795829846216, 'alice', 'block add', 'evil.example', NULL, NULL, 'malware', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (35, 1795829846309, 'alice', 'block add', 'temporary.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (36, 1795829846489, 'alice', 'block allow', 'www.evil.example/good', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (37, 1795829846657, 'alice', 'block add', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (38, 1795829846801, 'alice', 'block remove', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (39, 1795829846945, 'alice', 'block import', 'list', NULL, NULL, 'other', NULL, NULL, 2, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (4, 1795829820049, 'alice', 'operator revoke', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (40, 1795829847045, 'alice', 'link disable', 'plain', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (41, 1795829847229, 'alice', 'undo', '40', 1, 'default', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (5, 1795829820101, 'alice', 'operator add', 'billing', NULL, NULL, 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (6, 1795829820302, 'alice', 'owner add', 'acme', 2, 'acme', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (7, 1795829820483, 'alice', 'owner add', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (8, 1795829820763, 'alice', 'owner add', 'spammer', 4, 'spammer', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed, actor_type, actor_id) VALUES (9, 1795829820867, 'alice', 'owner add', 'leaving', 5, 'leaving', 'other', NULL, NULL, 1, NULL, NULL);
INSERT INTO folded_codes (link_id, folded) VALUES (17, 'IMPORTED');
INSERT INTO folded_codes (link_id, folded) VALUES (18, 'EXPIRED');
INSERT INTO folded_codes (link_id, folded) VALUES (19, 'OFF');
INSERT INTO folded_codes (link_id, folded) VALUES (20, 'GRÖSSE/1.0');
INSERT INTO folded_codes (link_id, folded) VALUES (21, 'RESTING');
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin) VALUES (1, 1, 'once', X'CCEC0AE9FDE1F0E5E2D421B8DFAC110C6719E5AD0AB9676E7B83AB3AA5CF7B5F', 'once', 'http://127.0.0.1:45607', 4102444800000, NULL, NULL, NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin) VALUES (2, 1, 'short-lived', X'2F1DCCBEF47CE339DC57002CA75B617BDFF128A70E81B88E9B3105AF30FF48DA', 'short-lived', 'http://127.0.0.1:45607', 1795829827849, NULL, NULL, NULL);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin) VALUES (3, 2, 'branded', X'F2116681DD6CD3A40BD86B5D8CEB595B0777A1F6EB6E1E6462ABD262EA9E8EE3', 'branded', 'http://127.0.0.1:41883', 4102444800000, NULL, NULL, 'http://go.acme.example');
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at, api_key_id, nonce, origin) VALUES (4, 1, 'derived', X'779D29A8C40861C3277F337A58A2B90F64817385380E0AF385FFE20DBE513274', '', 'http://127.0.0.1:41883', 4102444800000, 11, X'DFAE9C320EC3F63FC53CEC44DC8C9AF71DAE3FDFA0C1E2C7F8416C309781B6BA', NULL);
INSERT INTO installation (id, secret) VALUES (1, '53fe590cf732de25e958f73b9723791d');
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (1, 1, 'plain', 'http://192.0.2.1:8080/a%20b?c=d&e#f', '192.0.2.1', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829823514, 717233175, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (10, 3, 'blocked', 'https://www.evil.example/login', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829827676, -1155042429, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (11, 3, 'excepted', 'https://www.evil.example/good/', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829827717, -662879558, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (12, 3, 'listed', 'https://ads.example/', 'ads.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829827793, -1894700989, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (13, 4, 'spam', 'https://spam.example/', 'spam.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829827842, 2139682089, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (14, NULL, 'left', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 33, 1795829827845, -931394136, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (15, 1, 'once', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829827847, -1522279255, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (16, 1, 'short-lived', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829827849, -2003662983, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (17, 2, 'imported', 'https://example.net/', 'example.net', 'Imported', 'old', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, 1583020799000, 1043845230, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (18, 2, 'expired', 'https://example.net/expired', 'example.net', NULL, NULL, NULL, 1609459200000, 0, NULL, NULL, NULL, NULL, NULL, 1577836800000, -1357024032, 'https://example.net/ended', 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (19, 2, 'off', 'https://example.net/off', 'example.net', NULL, NULL, 'other', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829828317, 1546378810, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (2, 2, 'spring', 'https://example.org/spring', 'example.org', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795829827534, 872658163, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (20, 2, 'Größe/1.0', 'https://example.net/wide?a=1', 'example.net', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829828317, -1675973490, NULL, 1, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (21, 2, 'resting', 'https://example.net/rest', 'example.net', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829828317, -1484386281, NULL, 0, 1);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (22, 2, 'branded', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829842550, 466473459, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (3, 2, 'lasting', 'https://example.org/', 'example.org', NULL, NULL, NULL, 4102444800000, 1, 'H', 6, '#000080', '#ffffee', NULL, 1795829827577, 178643992, NULL, 0, 1);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (4, 2, 'edited', 'https://example.org/after', 'example.org', NULL, 'autumn', NULL, 4102444800000, 0, NULL, NULL, NULL, NULL, NULL, 1795829827602, -348534547, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (5, 2, 'notice', 'https://example.org/notice', 'example.org', NULL, NULL, 'legal', NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795829827606, -158249184, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (6, 2, '-dash_', 'https://example.org/dash', 'example.org', NULL, NULL, 'phishing', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829827610, -648860276, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (7, NULL, 'retired', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 23, 1795829827621, 1294449377, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (8, 3, 'unicode', 'https://münchen.example/ä b?ü=ö', 'xn--mnchen-3ya.example', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829827623, -4128349, NULL, 0, 0);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum, fallback_url, forward_query, is_paused) VALUES (9, 3, 'punycode', 'HTTPS://user@xn--mnchen-3ya.EXAMPLE./', 'xn--mnchen-3ya.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795829827626, -805824310, NULL, 0, 0);
INSERT INTO operator_keys (id, name, hash, role, created_at, revoked_at, last_used_at) VALUES (1, 'billing', X'280B6344A13C94A13C5668206CC5278CDFF052E42E0BDCDD416AB8706A03A001', 'provisioner', 1795829819934, 1795829820049, NULL);
INSERT INTO operator_keys (id, name, hash, role, created_at, revoked_at, last_used_at) VALUES (2, 'billing', X'8D29AB9D5ACABC7FAF27B2D184E66C52C2DC0BAF9678716A1C0FB686256671D0', 'auditor', 1795829820101, NULL, NULL);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month) VALUES (1, 'default', 'unlimited', 3, 20785, 3, NULL, 1795829819226, NULL, 202611, 3);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month) VALUES (2, 'acme', 'gold', 11, 20785, 7, NULL, 1795829820302, 'https://example.org/ended', 202611, 12);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month) VALUES (3, 'Büro & Söhne', 'pro', 5, 20785, 5, NULL, 1795829820483, NULL, 202611, 5);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at, fallback_url, created_month, created_in_month) VALUES (4, 'spammer', 'unlimited', 1, 20785, 1, 'spam', 1795829820763, NULL, 202611, 1);
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
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0001_initial_schema', 1795829819);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0002_link_fallback', 1795829819);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0003_codes_queries_actors', 1795829819);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0004_link_pauses', 1795829819);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0005_derived_keys', 1795829819);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0006_events_of_owner_keys', 1795829819);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0007_operator_keys', 1795829819);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0008_usage', 1795829819);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0009_domains', 1795829819);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0010_deleted_links', 1795829819);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted) VALUES (202611, 1, NULL, 0, 0, NULL, 6, NULL);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted) VALUES (202611, 2, NULL, 0, 0, NULL, 18, 1);
INSERT INTO usage_months (month, owner_id, owner, requests, links_created, links, clicks, links_deleted) VALUES (202611, 5, 'leaving', 0, 1, 0, 6, 1);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 1, 7185045255786964540, 3);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 2, 7185045255786964540, 9);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 3, 7185045255786964540, 5);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 4, 7185045255786964540, 1);
INSERT INTO usage_requests (month, owner_id, instance_id, requests) VALUES (202611, 5, 7185045255786964540, 1);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence (name, seq) VALUES ('api_keys', 11);
INSERT INTO sqlite_sequence (name, seq) VALUES ('event_changes', 21);
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
COMMIT;
