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
    );
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
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (1, 1, X'B094B88EEA819E8627C7067B21E82A0D9BCD7B45FA5F8FBC780E41D4E9609FE8', NULL, 'full', 1795650926113, NULL, NULL, 1795650926399);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (10, 2, X'BE9DCACA3CF3181707B601848C1BC106A88D5D0A3B4DD88D8D9A6AF7108610AE', 'leaked', 'full', 1795650926313, NULL, 1795650926352, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (2, 2, X'57CC3D0B3580AAADDDDD99D980650CF8C493F408B1B08815B30C0223A566FDE3', NULL, 'full', 1795650926166, NULL, NULL, 1795650926441);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (3, 3, X'4A159522815440E8314EAB512E6A03AC41FCB85DCC90F5588DDAA39D5F3A460C', NULL, 'full', 1795650926185, NULL, NULL, 1795650926456);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (4, 4, X'9FA16840FE0DB5BA22F65031AF235AED33800A21D851C4560F20CCC124076ED9', NULL, 'full', 1795650926201, NULL, NULL, 1795650926467);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (6, 2, X'DB6CEA389BA4FCCB77B5AA804120584A67EF80946A7D24BFE85CFACE84C5479A', 'read', 'read', 1795650926233, NULL, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (7, 2, X'0989BB8A07208E6F56905D854FD46ACA88537F1BD0C06B53569928FDB4A21F45', 'create', 'create', 1795650926250, NULL, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (8, 2, X'B62023448EE9E06BF6B70C4547D7A44D446C51E5A79311909615DFD0E95EDE9F', 'lasting', 'full', 1795650926269, 4102444800000, NULL, NULL);
INSERT INTO api_keys (id, owner_id, hash, label, scope, created_at, expires_at, revoked_at, last_used_at) VALUES (9, 2, X'EFAB9A8E6CE48F25DC5BBB1A67536921FA1EE40480D366A947EC9512B28D26F7', 'past', 'full', 1795650926292, 1769904000000, NULL, NULL);
INSERT INTO block_list_parts (import_id, part, patterns) VALUES (1882876477581333227, 0, 'ads.example
tracker.example/pixel');
INSERT INTO block_lists (source, import_id, reason, patterns, event_id) VALUES ('list', 1882876477581333227, 'other', 2, 27);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('evil.example', 'block', 'malware', NULL, 22);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('temporary.example', 'block', 'other', 4102444800000, 23);
INSERT INTO block_patterns (pattern, action, reason, until, event_id) VALUES ('www.evil.example/good', 'allow', 'other', NULL, 24);
INSERT INTO change_counter (id, number) VALUES (1, 21);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (1, 'keys', '', 1795650926352);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (10, 'owner', '5', 1795650937449);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (11, 'link', 'left', 1795650937451);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (12, 'keys', '', 1795650937471);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (13, 'owner', '5', 1795650937481);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (14, 'blocks', '', 1795650937497);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (15, 'blocks', '', 1795650937521);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (16, 'blocks', '', 1795650937541);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (17, 'blocks', '', 1795650937568);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (18, 'blocks', '', 1795650937603);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (19, 'blocks', '', 1795650937634);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (2, 'keys', '', 1795650926393);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (20, 'link', 'plain', 1795650937661);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (21, 'link', 'plain', 1795650937681);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (3, 'link', 'notice', 1795650937313);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (4, 'link', '-dash_', 1795650937333);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (5, 'link', 'edited', 1795650937353);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (6, 'link', 'edited', 1795650937373);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (7, 'link', 'retired', 1795650937393);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (8, 'owner', '4', 1795650937417);
INSERT INTO changes (number, kind, subject, changed_at) VALUES (9, 'owner', '3', 1795650937432);
INSERT INTO click_counts (link_id, count, opening, closed) VALUES (1, 6, 0, 6);
INSERT INTO click_counts (link_id, count, opening, closed) VALUES (17, 9007199254740997, 9007199254740991, 9007199254740997);
INSERT INTO click_counts (link_id, count, opening, closed) VALUES (18, 3, 3, 3);
INSERT INTO click_counts (link_id, count, opening, closed) VALUES (2, 6, 0, 6);
INSERT INTO click_days (day, link_id, count) VALUES (20748, 1, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20748, 17, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20748, 2, 1);
INSERT INTO click_days (day, link_id, count) VALUES (20749, 1, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20749, 17, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20749, 2, 2);
INSERT INTO click_days (day, link_id, count) VALUES (20752, 1, 3);
INSERT INTO click_days (day, link_id, count) VALUES (20752, 17, 3);
INSERT INTO click_days (day, link_id, count) VALUES (20752, 2, 3);
INSERT INTO click_writers (producer_id, sequence) VALUES (-1300182593468023400, 2);
INSERT INTO day_close (id, closed_day, closed_until, position) VALUES (1, 20752, 20781, 0);
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
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (1, 1795650926136, 'alice', 'plan add', 'gold', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (10, 1795650926292, 'alice', 'key add', '9', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (11, 1795650926313, 'alice', 'key add', '10', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (12, 1795650926352, 'alice', 'key revoke', '10', 2, 'acme', 'other', 'seen in a log', NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (13, 1795650926393, 'alice', 'key expire', '9', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (14, 1795650937313, 'alice', 'link disable', 'notice', 2, 'acme', 'legal', 'Anzeige vom 1. März', '4711', 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (15, 1795650937333, 'alice', 'link disable', '-dash_', 2, 'acme', 'phishing', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (16, 1795650937353, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (17, 1795650937373, 'alice', 'link edit', 'edited', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (18, 1795650937393, 'alice', 'link delete', 'retired', 2, 'acme', 'owner-request', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (19, 1795650937417, 'alice', 'owner suspend', 'spammer', 4, 'spammer', 'spam', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (2, 1795650926149, 'alice', 'plan add', 'basic', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (20, 1795650937432, 'alice', 'owner rename', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (21, 1795650937449, 'alice', 'owner delete', 'leaving', 5, 'leaving', 'other', NULL, NULL, 3);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (22, 1795650937497, 'alice', 'block add', 'evil.example', NULL, NULL, 'malware', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (23, 1795650937521, 'alice', 'block add', 'temporary.example', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (24, 1795650937541, 'alice', 'block allow', 'www.evil.example/good', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (25, 1795650937568, 'alice', 'block add', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (26, 1795650937603, 'alice', 'block remove', 'removed.example', NULL, NULL, 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (27, 1795650937634, 'alice', 'block import', 'list', NULL, NULL, 'other', NULL, NULL, 2);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (28, 1795650937661, 'alice', 'link disable', 'plain', 1, 'default', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (29, 1795650937681, 'alice', 'undo', '28', 1, 'default', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (3, 1795650926166, 'alice', 'owner add', 'acme', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (4, 1795650926185, 'alice', 'owner add', 'Büro & Söhne', 3, 'Büro & Söhne', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (5, 1795650926201, 'alice', 'owner add', 'spammer', 4, 'spammer', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (6, 1795650926217, 'alice', 'owner add', 'leaving', 5, 'leaving', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (7, 1795650926233, 'alice', 'key add', '6', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (8, 1795650926250, 'alice', 'key add', '7', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO events (id, at, actor, action, subject, owner_id, owner, reason, note, case_id, changed) VALUES (9, 1795650926269, 'alice', 'key add', '8', 2, 'acme', 'other', NULL, NULL, 1);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at) VALUES (1, 1, 'once', X'CCEC0AE9FDE1F0E5E2D421B8DFAC110C6719E5AD0AB9676E7B83AB3AA5CF7B5F', 'once', 'http://127.0.0.1:34561', 4102444800000);
INSERT INTO idempotency_keys (id, owner_id, key, fingerprint, short_code, base_url, created_at) VALUES (2, 1, 'short-lived', X'2F1DCCBEF47CE339DC57002CA75B617BDFF128A70E81B88E9B3105AF30FF48DA', 'short-lived', 'http://127.0.0.1:34561', 1795650926475);
INSERT INTO installation (id, secret) VALUES (1, '62ed920a51df8668ebddc4958991f802');
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (1, 1, 'plain', 'http://192.0.2.1:8080/a%20b?c=d&e#f', '192.0.2.1', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795650926400, 717233175);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (10, 3, 'blocked', 'https://www.evil.example/login', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795650926461, -1155042429);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (11, 3, 'excepted', 'https://www.evil.example/good/', 'www.evil.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795650926463, -662879558);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (12, 3, 'listed', 'https://ads.example/', 'ads.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795650926466, -1894700989);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (13, 4, 'spam', 'https://spam.example/', 'spam.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795650926468, 2139682089);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (14, NULL, 'left', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 21, 1795650926471, -931394136);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (15, 1, 'once', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795650926473, -1522279255);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (16, 1, 'short-lived', 'https://example.com/once', 'example.com', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795650926475, -2003662983);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (17, 2, 'imported', 'https://example.net/', 'example.net', 'Imported', 'old', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, 1583020799000, 1043845230);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (18, 2, 'expired', 'https://example.net/expired', 'example.net', NULL, NULL, NULL, 1609459200000, 0, NULL, NULL, NULL, NULL, NULL, 1577836800000, 1199934683);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (19, 2, 'off', 'https://example.net/off', 'example.net', NULL, NULL, 'other', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795650926501, 1546378810);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (2, 2, 'spring', 'https://example.org/spring', 'example.org', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795650926442, 872658163);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (3, 2, 'lasting', 'https://example.org/', 'example.org', NULL, NULL, NULL, 4102444800000, 1, 'H', 6, '#000080', '#ffffee', NULL, 1795650926446, -1807975742);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (4, 2, 'edited', 'https://example.org/after', 'example.org', NULL, 'autumn', NULL, 4102444800000, 0, NULL, NULL, NULL, NULL, NULL, 1795650926448, -348534547);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (5, 2, 'notice', 'https://example.org/notice', 'example.org', NULL, NULL, 'legal', NULL, 1, 'M', 4, '#000000', '#ffffff', NULL, 1795650926449, -158249184);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (6, 2, '-dash_', 'https://example.org/dash', 'example.org', NULL, NULL, 'phishing', NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795650926452, -648860276);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (7, NULL, 'retired', '', '', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 18, 1795650926454, 1294449377);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (8, 3, 'unicode', 'https://münchen.example/ä b?ü=ö', 'xn--mnchen-3ya.example', 'Frühling 🌱 "''', '=1+1, O''Reilly', NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795650926457, -4128349);
INSERT INTO links (id, owner_id, short_code, destination_url, destination_host, title, campaign, disabled_reason, expires_at, has_qr, qr_error_correction, qr_margin, qr_foreground, qr_background, deleted_event, created_at, checksum) VALUES (9, 3, 'punycode', 'HTTPS://user@xn--mnchen-3ya.EXAMPLE./', 'xn--mnchen-3ya.example', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, 1795650926459, -805824310);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at) VALUES (1, 'default', 'unlimited', 3, 20782, 3, NULL, 1795650926113);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at) VALUES (2, 'acme', 'gold', 8, 20782, 6, NULL, 1795650926166);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at) VALUES (3, 'Büro & Söhne', 'pro', 5, 20782, 5, NULL, 1795650926185);
INSERT INTO owners (id, name, plan, link_count, created_day, created_today, suspended_reason, created_at) VALUES (4, 'spammer', 'unlimited', 1, 20782, 1, 'spam', 1795650926201);
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
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m1_0001_initial_schema', 1795650926);
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
CREATE TRIGGER links_forget_checksum
     AFTER UPDATE OF short_code, owner_id, destination_url, disabled_reason, expires_at ON links
     WHEN NEW.checksum IS OLD.checksum BEGIN
         UPDATE links SET checksum = NULL WHERE id = NEW.id;
     END;
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
COMMIT;
