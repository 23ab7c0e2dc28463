// Generated from openapi/operator.json by scripts/clients --generate.
export interface components {
    schemas: {
        /** @description Who made a change, or created a link. Owners see nothing that identifies an operator. */
        Actor: {
            /**
             * @description `owner_key`, `operator_key`, `command` for a person or program at a shell of the operator's, or `import` for a file that the operator imported.
             */
            type: "command" | "owner_key" | "operator_key" | "import";
            /** @description Identifies the key; `null` for a command, and where owners do not see it. */
            id: number | null;
            /** @description The label that the API key had, the name of the operator key, or the name that the command was given; `null` where owners do not see it. */
            name: string | null;
        };
        /** @description Why something is changed, for the history. */
        Audit: {
            /**
             * @description The reason for the change.
             */
            reason?: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other" | null;
            /** @description A note about it. */
            note?: string | null;
            /** @description The identifier of a case in your own system. */
            case_id?: string | null;
        } | null;
        /** @description Why something is changed. */
        AuditRequest: {
            audit?: components["schemas"]["Audit"];
        };
        /** @description A pattern of destinations that are blocked, or are exceptions. */
        Block: {
            /** @description A host, which includes its subdomains, or the beginning of URLs on one host. */
            pattern: string;
            /**
             * @description `block`, or `allow` for an exception.
             */
            action: "block" | "allow";
            /**
             * @description Why, such as `phishing`.
             */
            reason: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
            /** @description The source of the pattern; `null` for the operator's own. */
            source: string | null;
            /** @description The time from which the pattern no longer counts; `null` if it does not expire. */
            expires_at: string | null;
            /** @description When the pattern was stored, or its list imported; `null` for the block file. */
            created_at: string | null;
        };
        /** @description Whether a destination is blocked, and the pattern that decides it. */
        BlockCheck: {
            /** @description Whether the destination is blocked. */
            is_blocked: boolean;
            /** @description The pattern that decides; `null` if none matches. */
            pattern: string | null;
            /**
             * @description `block` or `allow`; `null` if no pattern matches.
             */
            action: "block" | "allow" | null;
            /**
             * @description The reason of the pattern; `null` if none matches.
             */
            reason: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other" | null;
            /** @description The source of the pattern; `null` for the operator's own. */
            source: string | null;
            /** @description The time from which the pattern no longer counts; `null` if it does not expire. */
            expires_at: string | null;
        };
        /** @description New patterns, or a new rule for existing ones. */
        BlockCreate: {
            /** @description 1 to 1,000 patterns. Each is a host, which includes its subdomains, or a URL, which includes all paths below it. */
            patterns: string[];
            /**
             * @description `block`, or `allow` for an exception; without it, `block`.
             */
            action?: "block" | "allow" | null;
            /**
             * @description The reason, which visitors of blocked links see. Without it, an existing pattern keeps its reason, and a new one has `other`.
             */
            reason?: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other" | null;
            /**
             * @description The time from which a block no longer counts (RFC 3339).
             */
            expires_at?: string | Date | null;
            audit?: components["schemas"]["Audit"];
        };
        /** @description A page of patterns: the operator's own, newest first, then those of imported lists. */
        BlockList: {
            /** @description The items of the page. */
            data: components["schemas"]["Block"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description The result of a change. */
        ChangeResult: {
            /** @description Identifies the event; `null` if there was nothing to change. */
            event_id: number | null;
            /** @description Number of things that changed. */
            changed: number;
        };
        /** @description Clicks of a range of days, summed up by group. */
        ClickReport: {
            /** @description By day, each day of the range, oldest first; otherwise the groups with clicks, those with the most first. */
            data: components["schemas"]["ClickReportRow"][];
            /** @description The first day of the range. */
            from_day: string;
            /** @description The last day of the range. */
            to_day: string;
            /** @description Whether all days of the range are closed, so that the clicks only change by deletions. */
            is_final: boolean;
            /** @description Whether there are more than 10,000 groups, so that those with the fewest clicks are missing. */
            is_truncated: boolean;
        };
        /** @description Clicks of a group of links. It has the members by which the report groups. */
        ClickReportRow: {
            /** @description The day (UTC), in a report by day. */
            day?: string;
            /** @description The campaign, in a report by campaign; `null` for links without one and for deleted ones. */
            campaign?: string | null;
            /** @description The code of the link, in a report by link; `null` for deleted links, which have one row. */
            short_code?: string | null;
            /** @description Your own identifier of the link, in a report by link; `null` without one and for deleted links. */
            external_id?: string | null;
            /** @description The title of the link, in a report by link; `null` without one and for deleted links. */
            title?: string | null;
            /** @description The identifier of the owner, in the operator's report by owner. */
            owner_id?: number;
            /** @description The name of the owner, in the operator's report by owner. */
            owner_name?: string;
            /** @description Number of clicks. */
            clicks: number;
        };
        /** @description A new API key, with its secret. */
        CreatedKey: {
            /** @description Identifies the key. */
            id: number;
            /** @description Its label; `null` without one. */
            label: string | null;
            /**
             * @description What the key allows: `read`, `create`, `edit` or `full`.
             */
            scope: "read" | "create" | "edit" | "full";
            /** @description The last four characters of its secret; `null` if an earlier version of the service created it. */
            hint: string | null;
            /** @description When the key was created. */
            created_at: string;
            /** @description The time from which the key is invalid; `null` if it does not expire. */
            expires_at: string | null;
            /** @description When the key was last used, with a precision of a minute; `null` if it never was. */
            last_used_at: string | null;
            /** @description When the key was revoked; `null` if it is not. */
            revoked_at: string | null;
            /** @description Identifies the values that `PATCH` can write, for `If-Match`. */
            etag: string;
            /** @description What the key's user sends as `X-API-Key`. Nothing else shows it. */
            secret: string;
            /** @description Identifies the owner. */
            owner_id: number;
            /** @description The owner's name. */
            owner_name: string;
        };
        /** @description A new operator key, with its secret. */
        CreatedOperatorKey: {
            /** @description Identifies the key. */
            id: number;
            /** @description The key's name, which the history shows. */
            name: string;
            /**
             * @description What the key may do: `auditor`, `provisioner`, `moderator` or `admin`.
             */
            role: "auditor" | "provisioner" | "moderator" | "admin";
            /** @description The last four characters of its secret; `null` if an earlier version of the service created it. */
            hint: string | null;
            /** @description When the key was created. */
            created_at: string;
            /** @description The time from which the key is invalid; `null` if it does not expire. */
            expires_at: string | null;
            /** @description When the key was last used, with a precision of a minute; `null` if it never was. */
            last_used_at: string | null;
            /** @description When the key was revoked; `null` if it is not. */
            revoked_at: string | null;
            /** @description What the key's user sends as `X-API-Key`. Nothing else shows it. */
            secret: string;
        };
        /** @description A new owner, with the first key. */
        CreatedOwner: {
            /** @description Identifies the owner; it never changes and is never used again. */
            id: number;
            /** @description The owner's name. */
            name: string;
            /** @description Your own identifier of the owner; `null` without one. */
            external_id: string | null;
            /** @description The name of the owner's plan. */
            plan_name: string;
            /** @description Number of links. */
            links: number;
            /** @description Whether the owner is suspended. */
            is_suspended: boolean;
            /**
             * @description Why the owner is suspended; `null` if the owner is not.
             */
            suspended_reason: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other" | null;
            /** @description Since when the owner is suspended; `null` if the owner is not, or if it is unknown. */
            suspended_at: string | null;
            /** @description When the owner was created. */
            created_at: string;
            /** @description The day (UTC) of the newest use of the owner's keys; `null` if they were never used. */
            last_active_on: string | null;
            /** @description Where visitors of expired links go that have no fallback of their own; `null` if they see a page. */
            fallback_url: string | null;
            /** @description Identifies the values that `PATCH` can write, for `If-Match`. */
            etag: string;
            /** @description The first key; `null` if none was requested. Nothing shows its secret again. */
            key: components["schemas"]["CreatedKey"] | null;
        };
        /** @description The database. */
        DatabaseStatus: {
            /**
             * @description `sqlite` or `postgres`.
             */
            kind: "sqlite" | "postgres";
            /** @description Size in bytes: of the tables and indexes, without a write-ahead log. */
            size_bytes: number;
            /** @description Free space in bytes on the disk of an SQLite database; `null` on PostgreSQL, which does not report it. */
            free_bytes: number | null;
        };
        /** @description Clicks of a link on one day. */
        DayClicks: {
            /** @description The day (UTC). */
            day: string;
            /** @description Number of clicks. */
            clicks: number;
        };
        /** @description A domain of an owner. */
        Domain: {
            /** @description The host in normal form, with a port if the domain is for that port only. */
            host: string;
            /** @description The identifier of the owner. */
            owner_id: number;
            /** @description The name of the owner. */
            owner_name: string;
            /** @description Where visitors of the start page go; `null` if they see a page. */
            home_url: string | null;
            /** @description Whether the owner's short URLs and QR codes have this host. */
            is_default: boolean;
            /** @description When the domain was added. */
            created_at: string;
            /** @description Identifies the values that `PATCH` can write, for `If-Match`. */
            etag: string;
        };
        /** @description A domain to add. */
        DomainCreate: {
            /** @description The host, in any spelling, with a port if only requests for that port are meant. */
            host: string;
            /** @description The identifier of the owner. */
            owner_id: number;
            /** @description Where visitors of the start page go; without it, they see a page. */
            home_url?: string | null;
            /** @description `true` adds the domain even if destinations lead to its host already; without it, `false`. */
            accept_destinations?: boolean | null;
            audit?: components["schemas"]["Audit"];
        };
        /** @description A page of domains, newest first. */
        DomainList: {
            /** @description The items of the page. */
            data: components["schemas"]["Domain"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description New values for a domain, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value. */
        DomainUpdate: {
            /** @description Where visitors of the start page go; `null` if they see a page. */
            home_url?: string | null;
            /** @description `true` makes the domain the owner's default, so that another one no longer is. */
            is_default?: boolean;
            audit?: components["schemas"]["Audit"];
        };
        /** @description A change, as the operator sees it. */
        Event: {
            /** @description Identifies the event. */
            id: number;
            /** @description When the change was made. */
            created_at: string;
            actor: components["schemas"]["Actor"];
            /**
             * @description What was done: the command, such as `link disable`.
             */
            action: "link disable" | "link enable" | "link pause" | "link unpause" | "link edit" | "link delete" | "owner add" | "owner plan" | "owner edit" | "owner suspend" | "owner resume" | "owner rename" | "owner delete" | "key add" | "key expire" | "key edit" | "key revoke" | "operator add" | "operator revoke" | "plan add" | "plan set" | "plan remove" | "block add" | "block allow" | "block remove" | "block import" | "block remove --source" | "domain add" | "domain remove" | "domain default" | "domain edit" | "webhook add" | "webhook edit" | "webhook rotate" | "webhook disable" | "webhook enable" | "webhook remove" | "usage reopen" | "undo" | "stop";
            /** @description What was changed: a code, a name, an identifier, a pattern, or a description of several things. */
            subject: string;
            /** @description Identifies the owner, if everything that changed belongs to one. */
            owner_id: number | null;
            /** @description The name of this owner. */
            owner_name: string | null;
            audit: components["schemas"]["EventAudit"];
            /** @description Number of things that changed. A change in progress still adds to it. */
            changed: number;
            /**
             * @description `running` while the change goes on, `done` once everything is changed, `stopped` if it was stopped, or its server or command has given no sign of life for a minute.
             */
            status: "running" | "done" | "stopped";
            /** @description When the change ended; `null` while it goes on. */
            finished_at: string | null;
            /** @description What an undo did not revert: the first 100 codes, names, patterns or hosts. */
            skipped: string[];
            /** @description Number of all that it did not revert. */
            skipped_count: number;
        };
        /** @description Why a change was made. */
        EventAudit: {
            /**
             * @description The reason, such as `owner-request`.
             */
            reason: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
            /** @description A note; `null` without one. */
            note: string | null;
            /** @description The case that led to it; `null` without one. */
            case_id: string | null;
        };
        /** @description What an event changed of one thing. Values of deleted links and owners are erased. */
        EventChange: {
            /** @description What was changed: a code, a host, a name, a pattern, or the identifier of a key or webhook. */
            subject: string;
            /** @description The members that changed, as they were before, with their names and types in the interface. `null` if it did not exist, or if the values are erased. */
            before: Record<string, never> | null;
            /** @description The members that changed, as they were afterwards. `null` if it no longer exists, or if the values are erased. */
            after: Record<string, never> | null;
        };
        /** @description A page of what an event changed, in the order in which it did. */
        EventChangeList: {
            /** @description The items of the page. */
            data: components["schemas"]["EventChange"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description An event, and what it changed. */
        EventDetails: {
            /** @description Identifies the event. */
            id: number;
            /** @description When the change was made. */
            created_at: string;
            actor: components["schemas"]["Actor"];
            /**
             * @description What was done: the command, such as `link disable`.
             */
            action: "link disable" | "link enable" | "link pause" | "link unpause" | "link edit" | "link delete" | "owner add" | "owner plan" | "owner edit" | "owner suspend" | "owner resume" | "owner rename" | "owner delete" | "key add" | "key expire" | "key edit" | "key revoke" | "operator add" | "operator revoke" | "plan add" | "plan set" | "plan remove" | "block add" | "block allow" | "block remove" | "block import" | "block remove --source" | "domain add" | "domain remove" | "domain default" | "domain edit" | "webhook add" | "webhook edit" | "webhook rotate" | "webhook disable" | "webhook enable" | "webhook remove" | "usage reopen" | "undo" | "stop";
            /** @description What was changed: a code, a name, an identifier, a pattern, or a description of several things. */
            subject: string;
            /** @description Identifies the owner, if everything that changed belongs to one. */
            owner_id: number | null;
            /** @description The name of this owner. */
            owner_name: string | null;
            audit: components["schemas"]["EventAudit"];
            /** @description Number of things that changed. A change in progress still adds to it. */
            changed: number;
            /**
             * @description `running` while the change goes on, `done` once everything is changed, `stopped` if it was stopped, or its server or command has given no sign of life for a minute.
             */
            status: "running" | "done" | "stopped";
            /** @description When the change ended; `null` while it goes on. */
            finished_at: string | null;
            /** @description What an undo did not revert: the first 100 codes, names, patterns or hosts. */
            skipped: string[];
            /** @description Number of all that it did not revert. */
            skipped_count: number;
            /** @description What it changed, the first 100; `/events/{id}/changes` has all. */
            changes: components["schemas"]["EventChange"][];
        };
        /** @description A page of events. */
        EventList: {
            /** @description The items of the page. */
            data: components["schemas"]["Event"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description One thing in a request that is not valid: a field of the body, or a parameter or header. */
        FieldError: {
            /** @description JSON pointer (RFC 6901) to the field in the request's body; empty for the body itself. */
            pointer?: string;
            /** @description Name of the query parameter or header, if the error is not in the body. */
            parameter?: string;
            /**
             * @description What is wrong with it, for programs. Others may be added.
             */
            code: "required" | "unknown" | "wrong-type" | "malformed" | "too-long" | "out-of-range" | "in-use" | "blocked" | "not-allowed";
            /** @description What is wrong with it, for people. */
            detail: string;
        };
        /** @description An API key. Nothing shows its secret again. */
        Key: {
            /** @description Identifies the key. */
            id: number;
            /** @description Its label; `null` without one. */
            label: string | null;
            /**
             * @description What the key allows: `read`, `create`, `edit` or `full`.
             */
            scope: "read" | "create" | "edit" | "full";
            /** @description The last four characters of its secret; `null` if an earlier version of the service created it. */
            hint: string | null;
            /** @description When the key was created. */
            created_at: string;
            /** @description The time from which the key is invalid; `null` if it does not expire. */
            expires_at: string | null;
            /** @description When the key was last used, with a precision of a minute; `null` if it never was. */
            last_used_at: string | null;
            /** @description When the key was revoked; `null` if it is not. */
            revoked_at: string | null;
            /** @description Identifies the values that `PATCH` can write, for `If-Match`. */
            etag: string;
            /** @description Identifies the owner. */
            owner_id: number;
            /** @description The owner's name. */
            owner_name: string;
        };
        /** @description A key to create. */
        KeyCreate: {
            /** @description The key's label, without control characters. */
            label?: string | null;
            /**
             * @description What the key allows: `read` to read links and clicks, `create` to create links and QR codes, `edit` both and to change links, `full` everything of the owner.
             */
            scope: "read" | "create" | "edit" | "full";
            /**
             * @description The time from which the key is invalid (RFC 3339). Without it, the key expires with the owner's key that sends the request, or never.
             */
            expires_at?: string | Date | null;
            audit?: components["schemas"]["Audit"];
        };
        /** @description A page of keys, newest first, revoked and expired ones included. */
        KeyList: {
            /** @description The items of the page. */
            data: components["schemas"]["Key"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description An API key, to find it. */
        KeySearch: {
            /** @description The API key, as it was shown when it was created. */
            secret: string;
        };
        /** @description New values for a key, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value. */
        KeyUpdate: {
            /** @description The key's label, without control characters. */
            label?: string | null;
            /**
             * @description The time from which the key is invalid (RFC 3339).
             */
            expires_at?: string | Date | null;
            audit?: components["schemas"]["Audit"];
        };
        /** @description A link with everything that its owner can see. */
        Link: {
            /** @description The link's code. */
            short_code: string;
            /** @description The URL to hand out: it redirects to the destination. */
            short_url: string;
            /** @description Where the link leads, exactly as it was sent. */
            destination_url: string;
            /** @description The link's title; `null` without one. */
            title: string | null;
            /** @description The campaign that the link belongs to; `null` without one. */
            campaign: string | null;
            /** @description Your own identifier of the link; `null` without one. */
            external_id: string | null;
            /** @description Number of clicks, at most 2⁵³ − 1. */
            clicks: number;
            /** @description Whether the link redirects, which it does in the state `active`. */
            is_active: boolean;
            /**
             * @description The first of these that applies: `owner-suspended`, `blocked` (its destination), `disabled` (by the operator), `paused` (by the owner), `expired`, `active`.
             */
            state: "owner-suspended" | "blocked" | "disabled" | "paused" | "expired" | "active";
            /**
             * @description Why the operator suspended, blocked or disabled it, such as `phishing`; `null` in the other states.
             */
            state_reason: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other" | null;
            /** @description Whether the owner has paused the link, even if another state takes precedence. */
            is_paused: boolean;
            /** @description Whether the QR code is enabled. */
            has_qr: boolean;
            /**
             * @description How much of the image may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %.
             */
            qr_error_correction: "L" | "M" | "Q" | "H";
            /** @description The quiet zone around the QR code in modules. */
            qr_margin: number;
            /** @description The colour of the QR code's modules. */
            qr_foreground: string;
            /** @description The colour behind them. */
            qr_background: string;
            /** @description The QR code as SVG; `null` unless it is enabled. */
            qr_svg_url: string | null;
            /** @description The QR code as PNG; `null` unless it is enabled. */
            qr_png_url: string | null;
            /** @description Whether the redirect appends the query of the request to that of the destination. */
            forward_query: boolean;
            /** @description Where visitors go once the link has expired; `null` if they see a page. */
            fallback_url: string | null;
            /** @description When the link was created; for an imported link, where it comes from. */
            created_at: string;
            /** @description Who created the link: a key, or an import; `null` if an earlier version did. */
            created_by: components["schemas"]["Actor"] | null;
            /** @description When what can be written of the link last changed; at first, when it was created. */
            updated_at: string;
            /** @description The time at which the link expires: from then on, it returns 410, or redirects to a fallback; `null` if it does not expire. */
            expires_at: string | null;
            /** @description Identifies the values that `PATCH` can write, for `If-Match`. */
            etag: string;
            /** @description Identifies the owner. */
            owner_id: number;
            /** @description The owner's name. */
            owner_name: string;
        };
        /** @description A change of any number of links. */
        LinkChange: {
            /**
             * @description What to do with the links.
             */
            action: "pause" | "unpause" | "delete" | "update" | "disable" | "enable";
            selectors: components["schemas"]["LinkSelectors"];
            update?: components["schemas"]["LinkChangeUpdate"];
            /** @description `true` reports how many links would change, and changes nothing; without it, `false`. */
            dry_run?: boolean | null;
            audit?: components["schemas"]["Audit"];
        };
        /** @description The result of a change of any number of links. */
        LinkChangeResult: {
            /** @description Identifies the event; `null` for a dry run, and if there was nothing to change. */
            event_id: number | null;
            /**
             * @description `running` while the change goes on, `done` once all links are changed, `stopped` if it was stopped.
             */
            status: "running" | "done" | "stopped";
            /** @description Number of links that changed, or would change in a dry run. */
            changed: number;
            /** @description Number of links that stayed as they are because the operator has disabled or blocked them; always 0 for the operator. */
            skipped: number;
            /** @description Whether it was a dry run. */
            dry_run: boolean;
            /** @description Listed codes that no link has, in the order of the request: the first 100. */
            unknown_codes: string[];
            /** @description Number of listed codes that no link has. */
            unknown_count: number;
        };
        /** @description New values for all links of a change: what is absent stays, and `null` removes a value. */
        LinkChangeUpdate: {
            /** @description The title. */
            title?: string | null;
            /** @description The campaign. */
            campaign?: string | null;
            /**
             * @description The time at which the links expire (RFC 3339). One that is not in the future returns 409 `expiry-passed`.
             */
            expires_at?: string | Date | null;
            /** @description Whether the links are paused. */
            is_paused?: boolean;
            /** @description Where visitors go once a link has expired. */
            fallback_url?: string | null;
            /** @description Whether the redirect appends the query of each request to that of the destination. */
            forward_query?: boolean;
            /** @description Whether the QR codes are enabled. */
            has_qr?: boolean;
        } | null;
        /** @description Clicks of a link by day. Those of the days, `clicks_before` and `clicks_after` add up to the link's clicks. */
        LinkClicks: {
            /** @description All days of the range, oldest first. */
            data: components["schemas"]["DayClicks"][];
            /** @description The first day of the range. */
            from_day: string;
            /** @description The last day of the range. */
            to_day: string;
            /** @description Clicks before the first day, those included that were imported or are too old to have a day. */
            clicks_before: number;
            /** @description Clicks after the last day. */
            clicks_after: number;
        };
        /** @description A page of links, newest first. */
        LinkList: {
            /** @description The items of the page. */
            data: components["schemas"]["Link"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description Conditions that choose links. A link must meet all of them; at least one is required. */
        LinkSelectors: {
            /** @description Short codes, at most 10,000; the response names unknown ones. */
            code?: string[] | null;
            /** @description The identifier of the owner. */
            owner_id?: number | null;
            /** @description The external identifier. */
            external_id?: string | null;
            /** @description The campaign. */
            campaign?: string | null;
            /**
             * @description The state.
             */
            state?: "owner-suspended" | "blocked" | "disabled" | "paused" | "expired" | "active" | null;
            /** @description The host of the destination, or a parent domain of it. */
            host?: string | null;
            /** @description The destination, exactly. */
            destination_url?: string | null;
            /** @description Part of the code, external identifier, title or destination; ASCII letters match in any case. */
            q?: string | null;
            /**
             * @description Created at this time or later (RFC 3339).
             */
            created_after?: string | Date | null;
            /**
             * @description Created before this time (RFC 3339).
             */
            created_before?: string | Date | null;
            /**
             * @description Created or changed at this time or later (RFC 3339).
             */
            updated_after?: string | Date | null;
            /** @description The identifier of the API key that created the link. */
            created_by_key_id?: number | null;
        };
        /** @description New values for a link, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value. */
        LinkUpdate: {
            /** @description Where the link leads, as in `POST /api/v1/shorten`. */
            destination_url?: string;
            /** @description The link's title, for people, without control characters. */
            title?: string | null;
            /** @description The campaign that the link belongs to, without control characters. */
            campaign?: string | null;
            /** @description Your own identifier of the link, of 1 to 255 characters without control characters, except `.` and `..`. No other link of yours may have it. */
            external_id?: string | null;
            /**
             * @description The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a fallback. A new time that is not in the future returns 409 `expiry-passed`.
             */
            expires_at?: string | Date | null;
            /** @description `true` pauses the link, which then returns 410 instead of redirecting; `false` ends the pause. */
            is_paused?: boolean;
            /** @description Where visitors go once the link has expired, by the same rules as `destination_url`. */
            fallback_url?: string | null;
            /** @description Whether the redirect appends the query of each request to that of the destination. */
            forward_query?: boolean;
            /** @description Whether the QR code is enabled. */
            has_qr?: boolean;
            /**
             * @description How much of the QR code may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %.
             */
            qr_error_correction?: "L" | "M" | "Q" | "H";
            /** @description The quiet zone around the QR code in modules; the standard asks for 4. */
            qr_margin?: number;
            /** @description The colour of the QR code's modules, as `#rrggbb`. */
            qr_foreground?: string;
            /** @description The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `qr_foreground`. */
            qr_background?: string;
            audit?: components["schemas"]["Audit"];
        };
        /** @description An operator key. Nothing shows its secret again. */
        OperatorKey: {
            /** @description Identifies the key. */
            id: number;
            /** @description The key's name, which the history shows. */
            name: string;
            /**
             * @description What the key may do: `auditor`, `provisioner`, `moderator` or `admin`.
             */
            role: "auditor" | "provisioner" | "moderator" | "admin";
            /** @description The last four characters of its secret; `null` if an earlier version of the service created it. */
            hint: string | null;
            /** @description When the key was created. */
            created_at: string;
            /** @description The time from which the key is invalid; `null` if it does not expire. */
            expires_at: string | null;
            /** @description When the key was last used, with a precision of a minute; `null` if it never was. */
            last_used_at: string | null;
            /** @description When the key was revoked; `null` if it is not. */
            revoked_at: string | null;
        };
        /** @description An operator key to create. */
        OperatorKeyCreate: {
            /** @description The key's name, which the history shows. It is free again after the revocation of its key. */
            name: string;
            /**
             * @description What the key may do: `auditor` to read, `provisioner` also to manage owners with their keys and domains, `moderator` also to change links and blocks and to suspend owners, `admin` everything.
             */
            role: "auditor" | "provisioner" | "moderator" | "admin";
            /**
             * @description The time from which the key is invalid (RFC 3339). Without it, the key does not expire.
             */
            expires_at?: string | Date | null;
            audit?: components["schemas"]["Audit"];
        };
        /** @description A page of operator keys, newest first, revoked and expired ones included. */
        OperatorKeyList: {
            /** @description The items of the page. */
            data: components["schemas"]["OperatorKey"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description An owner, as the operator sees it. */
        Owner: {
            /** @description Identifies the owner; it never changes and is never used again. */
            id: number;
            /** @description The owner's name. */
            name: string;
            /** @description Your own identifier of the owner; `null` without one. */
            external_id: string | null;
            /** @description The name of the owner's plan. */
            plan_name: string;
            /** @description Number of links. */
            links: number;
            /** @description Whether the owner is suspended. */
            is_suspended: boolean;
            /**
             * @description Why the owner is suspended; `null` if the owner is not.
             */
            suspended_reason: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other" | null;
            /** @description Since when the owner is suspended; `null` if the owner is not, or if it is unknown. */
            suspended_at: string | null;
            /** @description When the owner was created. */
            created_at: string;
            /** @description The day (UTC) of the newest use of the owner's keys; `null` if they were never used. */
            last_active_on: string | null;
            /** @description Where visitors of expired links go that have no fallback of their own; `null` if they see a page. */
            fallback_url: string | null;
            /** @description Identifies the values that `PATCH` can write, for `If-Match`. */
            etag: string;
        };
        /** @description An owner to create. */
        OwnerCreate: {
            /** @description The owner's name, without control characters. */
            name: string;
            /** @description The name of a plan. Without it, `free`. */
            plan_name?: string | null;
            /** @description Your own identifier of the owner, of 1 to 255 characters without control characters, except `.` and `..`. No other owner may have it. */
            external_id?: string | null;
            key?: components["schemas"]["OwnerKeyCreate"];
            audit?: components["schemas"]["Audit"];
        };
        /** @description The first key of a new owner. */
        OwnerKeyCreate: {
            /** @description The key's label, without control characters. */
            label?: string | null;
            /**
             * @description What the key allows: `read`, `create`, `edit` or `full`. Without it, `full`.
             */
            scope?: "read" | "create" | "edit" | "full" | null;
            /**
             * @description The time from which the key is invalid (RFC 3339). Without it, the key does not expire.
             */
            expires_at?: string | Date | null;
        } | null;
        /** @description A page of owners, newest first. */
        OwnerList: {
            /** @description The items of the page. */
            data: components["schemas"]["Owner"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description New values for an owner, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value. */
        OwnerUpdate: {
            /** @description The owner's name; keys, links and the history follow. */
            name?: string;
            /** @description The name of a plan. A lower limit deletes no links. */
            plan_name?: string;
            /** @description Your own identifier of the owner, of 1 to 255 characters without control characters, except `.` and `..`. No other owner may have it. */
            external_id?: string | null;
            /** @description Where visitors of expired links go that have no fallback of their own. */
            fallback_url?: string | null;
            audit?: components["schemas"]["Audit"];
        };
        /** @description What an owner used in a month. */
        OwnerUsage: {
            /** @description Identifier of the owner. */
            owner_id: number;
            /** @description Name of the owner: at the close of a closed month, at the deletion of a deleted owner. */
            owner_name: string;
            /** @description Plan of the owner: at the end of a closed month, at the deletion of a deleted owner. `null` if the month was closed before Terse kept it. */
            plan_name: string | null;
            /** @description Requests with a key of the owner, except those that returned 401, 403, 429 or 503. */
            requests: number;
            /** @description Links created in the month, imported and deleted ones included. */
            links_created: number;
            /** @description Links at the end of the month; in an open month, the links now. */
            links: number;
            /** @description Clicks, those of deleted links included. */
            clicks: number;
            /** @description Links deleted in the month. `null` if the month was closed before Terse counted them. */
            links_deleted: number | null;
        };
        /** @description A plan. `null` is unlimited. */
        Plan: {
            /** @description The name of the plan. */
            name: string;
            /** @description Number of links at a time. */
            max_links: number | null;
            /** @description Number of new links per day (UTC). */
            links_per_day: number | null;
            /** @description Requests in a time, such as `20/s`, of all keys of an owner together. */
            request_rate: string | null;
            /** @description How many of these requests may come at once; `null` for the number in `request_rate`. */
            burst: number | null;
            /** @description Whether owners may choose codes. */
            custom_codes: boolean;
            /** @description Identifies the values that `PATCH` can write, for `If-Match`. */
            etag: string;
        };
        /** @description A new plan. A limit that is absent or `null` is unlimited. */
        PlanCreate: {
            /** @description The name of the plan. */
            name: string;
            /** @description Number of links at a time. */
            max_links?: number | null;
            /** @description Number of new links per day (UTC). */
            links_per_day?: number | null;
            /** @description Requests in a time, such as `20/s`, `600/min` or `5000/h`, of all keys of an owner together. */
            request_rate?: string | null;
            /** @description How many of these requests may come at once; without it, the number in `request_rate`. */
            burst?: number | null;
            /** @description Whether owners may choose codes; without it, `false`. */
            custom_codes?: boolean | null;
            audit?: components["schemas"]["Audit"];
        };
        /** @description A page of plans, in the order of their names. */
        PlanList: {
            /** @description The items of the page. */
            data: components["schemas"]["Plan"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description New values for a plan, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a limit. */
        PlanUpdate: {
            /** @description Number of links at a time. A lower limit deletes no links. */
            max_links?: number | null;
            /** @description Number of new links per day (UTC). */
            links_per_day?: number | null;
            /** @description Requests in a time, such as `20/s`, `600/min` or `5000/h`, of all keys of an owner together. */
            request_rate?: string | null;
            /** @description How many of these requests may come at once; `null` for the number in `request_rate`. */
            burst?: number | null;
            /** @description Whether owners may choose codes. */
            custom_codes?: boolean;
            audit?: components["schemas"]["Audit"];
        };
        /** @description What went wrong (RFC 9457, problem details). */
        Problem: {
            /** @description A page for people that says what the problem means and what to do; the same for every problem of this kind. */
            type: string;
            /** @description A short summary; the same for every problem of this kind. */
            title: string;
            /** @description The status of the response, for when only the body is kept. */
            status: number;
            /** @description What happened this time, for people. */
            detail: string;
            /**
             * @description Identifies the kind of problem, for programs: the last segment of `type`. Treat an unknown one by its status: others may be added. No operation declares `not-found` and `method-not-allowed`, which unknown paths and methods return.
             */
            code: "malformed-request" | "unauthorized" | "operator-role" | "link-not-found" | "key-not-found" | "cursor-not-found" | "not-found" | "owner-not-found" | "plan-not-found" | "operator-key-not-found" | "event-not-found" | "block-not-found" | "domain-not-found" | "webhook-not-found" | "method-not-allowed" | "own-key" | "key-limit-reached" | "secret-unavailable" | "external-id-in-use" | "expiry-passed" | "idempotency-key-reused" | "qr-colours-too-close" | "qr-code-too-long" | "owner-exists" | "plan-exists" | "plan-in-use" | "operator-key-exists" | "domain-exists" | "domain-has-destinations" | "owner-not-suspended" | "deletion-aborted" | "cannot-undo" | "event-running" | "precondition-failed" | "body-too-large" | "unsupported-media-type" | "unsupported-content-encoding" | "invalid-input" | "destination-blocked" | "rate-limited" | "internal-error" | "unavailable";
            /** @description The identifier of this request in the server's log, also in the header `X-Request-Id`: quote it when you ask the operator for help. */
            request_id: string;
            /** @description The fields that are not valid, with `invalid-input` and `destination-blocked`; or the parameter or header that is not, with `malformed-request` unless the body is not JSON. */
            errors?: components["schemas"]["FieldError"][];
            /** @description The code of the link that has the external identifier, with `external-id-in-use`. */
            short_code?: string;
        };
        /** @description The server that responds. */
        ServerState: {
            /** @description When it started. */
            started_at: string;
            /** @description Number of requests that it has answered with a status of 500 or above since. */
            failed_requests: number;
        };
        /** @description Whether all is well: what the service has and does today, and what needs attention. */
        Status: {
            /** @description Version of the program that responds. */
            version: string;
            /** @description The schema of the database: the name of its newest migration. */
            schema: string;
            database: components["schemas"]["DatabaseStatus"];
            /** @description When the last complete backup of the SQLite database began; `null` if Terse knows none, and on PostgreSQL, which other programs back up. */
            last_backup_at: string | null;
            /** @description Number of running servers that share the database. One that was killed counts for 45 seconds; one that only reads counts for itself. */
            instances: number;
            /** @description Number of links, deleted ones not included. */
            links: number;
            /** @description Number of links created today (UTC), deleted ones included, imported ones not. */
            links_today: number;
            /** @description Number of owners. */
            owners: number;
            /** @description Number of clicks today (UTC). */
            clicks_today: number;
            /** @description Whether clicks wait until the database takes them. */
            are_clicks_waiting: boolean;
            /** @description The server that responds; `null` if a command does. */
            server: components["schemas"]["ServerState"] | null;
            /** @description What needs attention; empty if all is well. */
            warnings: components["schemas"]["Warning"][];
        };
        /** @description The result of an undo. */
        UndoResult: {
            /** @description Identifies the event of the undo; `null` if there was nothing to revert. */
            event_id: number | null;
            /** @description Number of links, owners, patterns or domains that were reverted. */
            changed: number;
            /**
             * @description Whether the undo goes on.
             */
            status: "running" | "done" | "stopped";
            /** @description The codes of links, names of owners, patterns and hosts of domains that were not reverted, or not completely, because they have changed since, or were deleted; the first 100. */
            skipped: string[];
            /** @description Number of all that were not reverted. */
            skipped_count: number;
        };
        /** @description Usage of all owners in a month. */
        UsageReport: {
            /** @description The owners who existed in the month, in the order of their names. */
            data: components["schemas"]["OwnerUsage"][];
            /** @description The month. */
            month: string;
            /** @description Whether the month is closed, so that its usage never changes. */
            is_final: boolean;
        };
        /** @description Something that needs attention. */
        Warning: {
            /**
             * @description What it is: `database-read-only`, `clicks-waiting`, `disk-full` or `backup-overdue`.
             */
            code: "database-read-only" | "clicks-waiting" | "disk-full" | "backup-overdue";
            /** @description What is wrong, and what to do. */
            detail: string;
        };
        /** @description A webhook. Only its creation and the replacement of its secret show the secret. */
        Webhook: {
            /** @description Identifies the webhook. */
            id: number;
            /** @description Where it sends to. */
            url: string;
            /** @description What it sends. */
            types: ("link.created" | "link.updated" | "link.deleted" | "link.disabled" | "link.enabled" | "links.clicked" | "links.changed" | "owner.suspended" | "owner.resumed" | "webhook.test")[];
            /** @description What it is for; `null` without a description. */
            description: string | null;
            /** @description Whether it sends anything. */
            is_enabled: boolean;
            /**
             * @description Why it is disabled: `gone` (it returned 410), `failing` (for five days), `operator`; `null` if it is enabled, or if the owner has disabled it.
             */
            disabled_reason: "gone" | "failing" | "operator" | null;
            /** @description When the webhook was created. */
            created_at: string;
            /** @description When it last accepted a delivery; `null` if it never did. */
            last_success_at: string | null;
            /** @description When an attempt last failed; `null` if none has. */
            last_failure_at: string | null;
            /** @description Number of deliveries that wait for an attempt. */
            waiting: number;
            /** @description Number of deliveries that were dropped because more than 10,000 waited. */
            dropped: number;
            /** @description Identifies the values that `PATCH` can write, for `If-Match`. */
            etag: string;
            /** @description Identifies the owner. */
            owner_id: number;
            /** @description The owner's name. */
            owner_name: string;
        };
        /** @description A page of webhooks, newest first. */
        WebhookList: {
            /** @description The items of the page. */
            data: components["schemas"]["Webhook"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description The query of `owners.list`. */
        ListOwnersQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
            /** @description Only the owner with this name. */
            name?: string;
            /** @description Only the owner with this external identifier. */
            external_id?: string;
            /** @description Only owners whose name or external identifier contains this text; ASCII letters match in any case. */
            q?: string;
            /** @description Only owners on this plan. */
            plan_name?: string;
            /** @description Only suspended owners (`true`), or only those that are not (`false`). */
            is_suspended?: boolean;
        };
        /** @description The query of `owners.delete`. */
        DeleteOwnerQuery: {
            /**
             * @description The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`.
             */
            reason?: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
            /** @description A note for the history. */
            note?: string;
            /** @description The identifier of a case in your own system, for the history. */
            case_id?: string;
        };
        /** @description The query of `keys.list`. */
        ListKeysQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
        };
        /** @description The query of `keys.revoke`. */
        RevokeKeyQuery: {
            /**
             * @description The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`.
             */
            reason?: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
            /** @description A note for the history. */
            note?: string;
            /** @description The identifier of a case in your own system, for the history. */
            case_id?: string;
        };
        /** @description The query of `plans.list`. */
        ListPlansQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
        };
        /** @description The query of `plans.delete`. */
        DeletePlanQuery: {
            /**
             * @description The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`.
             */
            reason?: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
            /** @description A note for the history. */
            note?: string;
            /** @description The identifier of a case in your own system, for the history. */
            case_id?: string;
        };
        /** @description The query of `links.list`. */
        ListLinksQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
            /** @description Only links with one of these short codes, at most 100. Unknown ones are ignored. */
            code?: string[];
            /** @description Only links of this owner. */
            owner_id?: number;
            /** @description Only links with this external identifier. */
            external_id?: string;
            /** @description Only links of this campaign, such as `spring`. The comparison is exact. */
            campaign?: string;
            /**
             * @description Only links in this state.
             */
            state?: "owner-suspended" | "blocked" | "disabled" | "paused" | "expired" | "active";
            /** @description Only links that lead to this host, such as `example.org`, or a subdomain of it. */
            host?: string;
            /** @description Only links with exactly this destination. */
            destination_url?: string;
            /** @description Only links whose code, external identifier, title or destination contains this text; ASCII letters match in any case. */
            q?: string;
            /**
             * @description Only links created at this time or later (RFC 3339).
             */
            created_after?: string | Date;
            /**
             * @description Only links created before this time (RFC 3339).
             */
            created_before?: string | Date;
            /**
             * @description Only links created or changed at this time or later (RFC 3339).
             */
            updated_after?: string | Date;
            /** @description Only links that this API key created. */
            created_by_key_id?: number;
        };
        /** @description The query of `links.clicks`. */
        GetLinkClicksQuery: {
            /** @description The first day, such as `2026-01-31`. Without it, the 30th up to `to_day`. */
            from_day?: string;
            /** @description The last day, such as `2026-01-31`, at most 400 days from `from_day`. Without it, today. */
            to_day?: string;
        };
        /** @description The query of `links.events`. */
        ListLinkEventsQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
        };
        /** @description The query of `blocks.list`. */
        ListBlocksQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
            /** @description Only patterns that contain this text; ASCII letters match in any case. */
            q?: string;
            /** @description Only patterns of this source: the name of an imported list, or `block-file` for the block file. */
            source?: string;
        };
        /** @description The query of `blocks.delete`. */
        DeleteBlockQuery: {
            /** @description The pattern. */
            pattern: string;
            /**
             * @description The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`.
             */
            reason?: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
            /** @description A note for the history. */
            note?: string;
            /** @description The identifier of a case in your own system, for the history. */
            case_id?: string;
        };
        /** @description The query of `blocks.check`. */
        CheckBlockQuery: {
            /** @description The URL or the host. */
            url: string;
        };
        /** @description The query of `domains.list`. */
        ListDomainsQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
            /** @description Only domains of this owner. */
            owner_id?: number;
        };
        /** @description The query of `domains.delete`. */
        DeleteDomainQuery: {
            /**
             * @description The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`.
             */
            reason?: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
            /** @description A note for the history. */
            note?: string;
            /** @description The identifier of a case in your own system, for the history. */
            case_id?: string;
        };
        /** @description The query of `events.list`. */
        ListEventsQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
            /** @description Only events of this case. */
            case_id?: string;
            /** @description Only events about this owner, who may be deleted, or the owner's links. */
            owner_id?: number;
            /** @description Only events that changed the link with this short code, even if it is deleted. */
            short_code?: string;
            /**
             * @description Only events of this action, such as `link disable`.
             */
            action?: "link disable" | "link enable" | "link pause" | "link unpause" | "link edit" | "link delete" | "owner add" | "owner plan" | "owner edit" | "owner suspend" | "owner resume" | "owner rename" | "owner delete" | "key add" | "key expire" | "key edit" | "key revoke" | "operator add" | "operator revoke" | "plan add" | "plan set" | "plan remove" | "block add" | "block allow" | "block remove" | "block import" | "block remove --source" | "domain add" | "domain remove" | "domain default" | "domain edit" | "webhook add" | "webhook edit" | "webhook rotate" | "webhook disable" | "webhook enable" | "webhook remove" | "usage reopen" | "undo" | "stop";
            /**
             * @description Only events of actors of this type.
             */
            actor_type?: "command" | "owner_key" | "operator_key" | "import";
            /** @description Only events of the API key or operator key with this identifier. */
            actor_id?: number;
            /**
             * @description Only events at this time or later (RFC 3339).
             */
            created_after?: string | Date;
            /** @description Only events after the one with this identifier, oldest first; `0` begins with the first. */
            after_id?: number;
        };
        /** @description The query of `events.changes`. */
        ListEventChangesQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
        };
        /** @description The query of `usage.get`. */
        GetUsageQuery: {
            /** @description The month, such as `2026-01`. Without it, the current month. */
            month?: string;
            /** @description Only this owner, who may be deleted. */
            owner_id?: number;
        };
        /** @description The query of `reports.clicks`. */
        GetClickReportQuery: {
            /** @description The month, such as `2026-01`. Without it and without days, the current month. */
            month?: string;
            /** @description The first day, such as `2026-01-31`, instead of a month. Without it, the 30th up to `to_day`. */
            from_day?: string;
            /** @description The last day, at most 400 days from `from_day`. Without it, today. */
            to_day?: string;
            /**
             * @description `day`, `campaign`, `link` or `owner`: by what the clicks are summed up. Without it, by day.
             */
            by?: "day" | "campaign" | "link" | "owner";
            /** @description Only links of this campaign, such as `spring`. The comparison is exact. */
            campaign?: string;
            /** @description Only the links of this owner, who may be deleted. */
            owner_id?: number;
        };
        /** @description The query of `operatorKeys.list`. */
        ListOperatorKeysQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
        };
        /** @description The query of `operatorKeys.revoke`. */
        RevokeOperatorKeyQuery: {
            /**
             * @description The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`.
             */
            reason?: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
            /** @description A note for the history. */
            note?: string;
            /** @description The identifier of a case in your own system, for the history. */
            case_id?: string;
        };
        /** @description The query of `webhooks.list`. */
        ListWebhooksQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Actor = components['schemas']['Actor'];
export type Audit = components['schemas']['Audit'];
export type AuditRequest = components['schemas']['AuditRequest'];
export type Block = components['schemas']['Block'];
export type BlockCheck = components['schemas']['BlockCheck'];
export type BlockCreate = components['schemas']['BlockCreate'];
export type BlockList = components['schemas']['BlockList'];
export type ChangeResult = components['schemas']['ChangeResult'];
export type ClickReport = components['schemas']['ClickReport'];
export type ClickReportRow = components['schemas']['ClickReportRow'];
export type CreatedKey = components['schemas']['CreatedKey'];
export type CreatedOperatorKey = components['schemas']['CreatedOperatorKey'];
export type CreatedOwner = components['schemas']['CreatedOwner'];
export type DatabaseStatus = components['schemas']['DatabaseStatus'];
export type DayClicks = components['schemas']['DayClicks'];
export type Domain = components['schemas']['Domain'];
export type DomainCreate = components['schemas']['DomainCreate'];
export type DomainList = components['schemas']['DomainList'];
export type DomainUpdate = components['schemas']['DomainUpdate'];
export type Event = components['schemas']['Event'];
export type EventAudit = components['schemas']['EventAudit'];
export type EventChange = components['schemas']['EventChange'];
export type EventChangeList = components['schemas']['EventChangeList'];
export type EventDetails = components['schemas']['EventDetails'];
export type EventList = components['schemas']['EventList'];
export type FieldError = components['schemas']['FieldError'];
export type Key = components['schemas']['Key'];
export type KeyCreate = components['schemas']['KeyCreate'];
export type KeyList = components['schemas']['KeyList'];
export type KeySearch = components['schemas']['KeySearch'];
export type KeyUpdate = components['schemas']['KeyUpdate'];
export type Link = components['schemas']['Link'];
export type LinkChange = components['schemas']['LinkChange'];
export type LinkChangeResult = components['schemas']['LinkChangeResult'];
export type LinkChangeUpdate = components['schemas']['LinkChangeUpdate'];
export type LinkClicks = components['schemas']['LinkClicks'];
export type LinkList = components['schemas']['LinkList'];
export type LinkSelectors = components['schemas']['LinkSelectors'];
export type LinkUpdate = components['schemas']['LinkUpdate'];
export type OperatorKey = components['schemas']['OperatorKey'];
export type OperatorKeyCreate = components['schemas']['OperatorKeyCreate'];
export type OperatorKeyList = components['schemas']['OperatorKeyList'];
export type Owner = components['schemas']['Owner'];
export type OwnerCreate = components['schemas']['OwnerCreate'];
export type OwnerKeyCreate = components['schemas']['OwnerKeyCreate'];
export type OwnerList = components['schemas']['OwnerList'];
export type OwnerUpdate = components['schemas']['OwnerUpdate'];
export type OwnerUsage = components['schemas']['OwnerUsage'];
export type Plan = components['schemas']['Plan'];
export type PlanCreate = components['schemas']['PlanCreate'];
export type PlanList = components['schemas']['PlanList'];
export type PlanUpdate = components['schemas']['PlanUpdate'];
export type Problem = components['schemas']['Problem'];
export type ServerState = components['schemas']['ServerState'];
export type Status = components['schemas']['Status'];
export type UndoResult = components['schemas']['UndoResult'];
export type UsageReport = components['schemas']['UsageReport'];
export type Warning = components['schemas']['Warning'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookList = components['schemas']['WebhookList'];
export type ListOwnersQuery = components['schemas']['ListOwnersQuery'];
export type DeleteOwnerQuery = components['schemas']['DeleteOwnerQuery'];
export type ListKeysQuery = components['schemas']['ListKeysQuery'];
export type RevokeKeyQuery = components['schemas']['RevokeKeyQuery'];
export type ListPlansQuery = components['schemas']['ListPlansQuery'];
export type DeletePlanQuery = components['schemas']['DeletePlanQuery'];
export type ListLinksQuery = components['schemas']['ListLinksQuery'];
export type GetLinkClicksQuery = components['schemas']['GetLinkClicksQuery'];
export type ListLinkEventsQuery = components['schemas']['ListLinkEventsQuery'];
export type ListBlocksQuery = components['schemas']['ListBlocksQuery'];
export type DeleteBlockQuery = components['schemas']['DeleteBlockQuery'];
export type CheckBlockQuery = components['schemas']['CheckBlockQuery'];
export type ListDomainsQuery = components['schemas']['ListDomainsQuery'];
export type DeleteDomainQuery = components['schemas']['DeleteDomainQuery'];
export type ListEventsQuery = components['schemas']['ListEventsQuery'];
export type ListEventChangesQuery = components['schemas']['ListEventChangesQuery'];
export type GetUsageQuery = components['schemas']['GetUsageQuery'];
export type GetClickReportQuery = components['schemas']['GetClickReportQuery'];
export type ListOperatorKeysQuery = components['schemas']['ListOperatorKeysQuery'];
export type RevokeOperatorKeyQuery = components['schemas']['RevokeOperatorKeyQuery'];
export type ListWebhooksQuery = components['schemas']['ListWebhooksQuery'];
