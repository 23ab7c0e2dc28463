// Generated from openapi/manage.json by scripts/clients --generate.
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
        /** @description A campaign, and the number of its links. */
        CampaignLinks: {
            /** @description The campaign. */
            campaign: string;
            /** @description Number of its links. */
            links: number;
        };
        /** @description A page of campaigns, by name. */
        CampaignLinksList: {
            /** @description The items of the page. */
            data: components["schemas"]["CampaignLinks"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
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
        };
        /** @description A webhook with its new secret. */
        CreatedWebhook: {
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
            /** @description The secret with which it signs: `whsec_`, and the Base64 of 32 bytes. */
            secret: string;
        };
        /** @description Clicks of a link on one day. */
        DayClicks: {
            /** @description The day (UTC). */
            day: string;
            /** @description Number of clicks. */
            clicks: number;
        };
        /** @description A delivery of a webhook. */
        Delivery: {
            /** @description Identifies the delivery: the header `webhook-id` of every attempt. */
            id: string;
            /**
             * @description What it is about.
             */
            type: "link.created" | "link.updated" | "link.deleted" | "link.disabled" | "link.enabled" | "links.clicked" | "links.changed" | "owner.suspended" | "owner.resumed" | "webhook.test";
            /** @description When that happened. */
            created_at: string;
            /**
             * @description `waiting` while another attempt will be made, `delivered`, `failed`, or `erased` if what it is about was deleted.
             */
            status: "waiting" | "delivered" | "failed" | "erased";
            /** @description The last 10 attempts, oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** @description When the next attempt will be made; `null` if none will. */
            next_attempt_at: string | null;
        };
        /** @description An attempt of a delivery. */
        DeliveryAttempt: {
            /** @description When the attempt was made. */
            created_at: string;
            /** @description The status of the response; `null` if there was none. */
            status_code: number | null;
            /** @description What went wrong, or the beginning of a response other than 2xx; `null` if there is nothing to say. */
            error: string | null;
            /** @description How long the attempt took. */
            milliseconds: number;
        };
        /** @description A page of the deliveries of a webhook, newest first. */
        DeliveryList: {
            /** @description The items of the page. */
            data: components["schemas"]["Delivery"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description A domain of the owner. */
        Domain: {
            /** @description The host in normal form, with a port if the domain is for that port only. */
            host: string;
            /** @description Where visitors of the start page go; `null` if they see a page. */
            home_url: string | null;
            /** @description Whether the owner's short URLs and QR codes have this host. */
            is_default: boolean;
        };
        /** @description A change of what an owner has. */
        Event: {
            /** @description Identifies the event. */
            id: number;
            /** @description When the change was made. */
            created_at: string;
            actor: components["schemas"]["Actor"];
            /**
             * @description What was done, such as `link edit`.
             */
            action: "link disable" | "link enable" | "link pause" | "link unpause" | "link edit" | "link delete" | "owner add" | "owner plan" | "owner edit" | "owner suspend" | "owner resume" | "owner rename" | "owner delete" | "key add" | "key expire" | "key edit" | "key revoke" | "operator add" | "operator revoke" | "plan add" | "plan set" | "plan remove" | "block add" | "block allow" | "block remove" | "block import" | "block remove --source" | "domain add" | "domain remove" | "domain default" | "domain edit" | "webhook add" | "webhook edit" | "webhook rotate" | "webhook disable" | "webhook enable" | "webhook remove" | "usage reopen" | "undo" | "stop";
            audit: components["schemas"]["EventAudit"];
            /**
             * @description `running` while the change goes on, `done` once everything is changed, `stopped` if it was stopped or interrupted.
             */
            status: "running" | "done" | "stopped";
            /** @description When the change ended; `null` while it goes on. */
            finished_at: string | null;
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
             * @description What was done, such as `link edit`.
             */
            action: "link disable" | "link enable" | "link pause" | "link unpause" | "link edit" | "link delete" | "owner add" | "owner plan" | "owner edit" | "owner suspend" | "owner resume" | "owner rename" | "owner delete" | "key add" | "key expire" | "key edit" | "key revoke" | "operator add" | "operator revoke" | "plan add" | "plan set" | "plan remove" | "block add" | "block allow" | "block remove" | "block import" | "block remove --source" | "domain add" | "domain remove" | "domain default" | "domain edit" | "webhook add" | "webhook edit" | "webhook rotate" | "webhook disable" | "webhook enable" | "webhook remove" | "usage reopen" | "undo" | "stop";
            audit: components["schemas"]["EventAudit"];
            /**
             * @description `running` while the change goes on, `done` once everything is changed, `stopped` if it was stopped or interrupted.
             */
            status: "running" | "done" | "stopped";
            /** @description When the change ended; `null` while it goes on. */
            finished_at: string | null;
            /** @description What it changed, the first 100; `/events/{id}/changes` has all. */
            changes: components["schemas"]["EventChange"][];
        };
        /** @description A page of events, newest first unless `after_id` is given. */
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
        };
        /** @description The results of a batch, in the order of its links. */
        LinkBatch: {
            /** @description One result for each link. */
            data: components["schemas"]["LinkBatchItem"][];
            /** @description Identifies the event of the changes of existing links; `null` if there are none. */
            event_id: number | null;
        };
        /** @description Links to create. */
        LinkBatchCreate: {
            /** @description The links, from 1 to 1,000. */
            links: components["schemas"]["LinkCreate"][];
            /**
             * @description What happens to a link whose `external_id` exists: `fail`, with 409, or `update`, which changes the given members of the link that has it. `update` needs a key of the scope `edit`. Without it, `fail`.
             */
            if_exists?: "fail" | "update";
        };
        /** @description The result of one link of a batch. */
        LinkBatchItem: {
            /**
             * @description 201 if the link was created, 200 if it existed and has the given values; otherwise the status with which `POST /links` would have failed.
             */
            status: 200 | 201;
            link: components["schemas"]["Link"];
            problem?: undefined;
        } | {
            /**
             * @description 201 if the link was created, 200 if it existed and has the given values; otherwise the status with which `POST /links` would have failed.
             */
            status: 400 | 401 | 403 | 409 | 413 | 415 | 422 | 429 | 500 | 503;
            link?: undefined;
            problem: components["schemas"]["Problem"];
        };
        /** @description A change of any number of links. */
        LinkChange: {
            /**
             * @description What to do with the links.
             */
            action: "pause" | "unpause" | "delete" | "update";
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
        /** @description A link to create. */
        LinkCreate: {
            /** @description Where the link leads, as `url` in `POST /api/v1/shorten`. */
            destination_url: string;
            /** @description The short code to give the link, case-sensitive. On a plan without custom codes, the response is 409 `custom-codes-not-allowed`. */
            custom_code?: string | null;
            /** @description The link's title, for people, without control characters. */
            title?: string | null;
            /** @description The campaign that the link belongs to, without control characters. */
            campaign?: string | null;
            /** @description Your own identifier of the link, of 1 to 255 characters without control characters, except `.` and `..`. No other link of yours may have it. */
            external_id?: string | null;
            /**
             * @description The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a fallback. A time that is not in the future returns 409 `expiry-passed`.
             */
            expires_at?: string | Date | null;
            /** @description Where visitors go once the link has expired, by the same rules as `destination_url`. */
            fallback_url?: string | null;
            /** @description `true` appends the query of each request to that of the destination. Without it, `false`. */
            forward_query?: boolean | null;
            /** @description `true` creates the link paused: it returns 410 until a change to `false`. Without it, `false`. */
            is_paused?: boolean | null;
            /** @description `true` enables the QR code. Without it, `false`. */
            has_qr?: boolean | null;
            /**
             * @description How much of the QR code may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %. Without it, `M`.
             */
            qr_error_correction?: "L" | "M" | "Q" | "H" | null;
            /** @description The quiet zone around the QR code in modules. Without it, 4, as the standard asks for. */
            qr_margin?: number | null;
            /** @description The colour of the QR code's modules, as `#rrggbb`. Without it, `#000000`. */
            qr_foreground?: string | null;
            /** @description The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `qr_foreground`. Without it, `#ffffff`. */
            qr_background?: string | null;
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
        /** @description The owner of the API key. */
        Owner: {
            /** @description Identifies the owner; it never changes. */
            id: number;
            /** @description The owner's name. */
            name: string;
            /** @description Where visitors of expired links go that have no fallback of their own; `null` if they see a page. */
            fallback_url: string | null;
            plan: components["schemas"]["Plan"];
            /** @description What the owner uses of it; `null` for a key of the scope `create`. */
            usage: components["schemas"]["OwnerUsage"] | null;
            key: components["schemas"]["Key"];
            /** @description The owner's own domains, the default one first; `null` for a key of the scope `create`. */
            domains: components["schemas"]["Domain"][] | null;
        };
        /** @description What the owner uses of the plan, and in this month (UTC). */
        OwnerUsage: {
            /** @description Number of links. */
            links: number;
            /** @description Number of links created today (UTC), deleted ones included, imported ones not. */
            links_today: number;
            /** @description Number of requests in this month, without those that a limit rejected or that failed. The server counts a request within some seconds. */
            requests: number;
            /** @description Number of links created in this month, deleted ones included. */
            links_created: number;
            /** @description Number of clicks in this month. */
            clicks: number;
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
            code: "malformed-request" | "unauthorized" | "owner-suspended" | "key-scope" | "link-not-found" | "key-not-found" | "cursor-not-found" | "not-found" | "event-not-found" | "webhook-not-found" | "delivery-not-found" | "method-not-allowed" | "code-in-use" | "code-reserved" | "plan-limit-reached" | "daily-limit-reached" | "custom-codes-not-allowed" | "link-disabled" | "own-key" | "expiry-after-key" | "key-limit-reached" | "webhook-limit-reached" | "webhook-disabled" | "delivery-erased" | "secret-unavailable" | "external-id-in-use" | "expiry-passed" | "idempotency-key-reused" | "qr-colours-too-close" | "qr-code-too-long" | "change-running" | "precondition-failed" | "body-too-large" | "unsupported-media-type" | "unsupported-content-encoding" | "invalid-input" | "destination-blocked" | "rate-limited" | "internal-error" | "unavailable";
            /** @description The identifier of this request in the server's log, also in the header `X-Request-Id`: quote it when you ask the operator for help. */
            request_id: string;
            /** @description The fields that are not valid, with `invalid-input` and `destination-blocked`; or the parameter or header that is not, with `malformed-request` unless the body is not JSON. */
            errors?: components["schemas"]["FieldError"][];
            /** @description The code of the link that has the external identifier, with `external-id-in-use`. */
            short_code?: string;
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
        };
        /** @description A webhook to create. */
        WebhookCreate: {
            /** @description Where to send to: `https`, on port 443, 80, or one from 1024. */
            url: string;
            /** @description What to send. */
            types: ("link.created" | "link.updated" | "link.deleted" | "link.disabled" | "link.enabled" | "links.clicked" | "links.changed" | "owner.suspended" | "owner.resumed" | "webhook.test")[];
            /** @description What it is for, without control characters. */
            description?: string | null;
            audit?: components["schemas"]["Audit"];
        };
        /** @description A page of webhooks, newest first. */
        WebhookList: {
            /** @description The items of the page. */
            data: components["schemas"]["Webhook"][];
            /** @description Where the next page begins: the parameter `cursor` of the next request. `null` on the last page. */
            next_cursor: string | null;
        };
        /** @description New values for a webhook, as a JSON merge patch (RFC 7396): what is absent stays, and `null` removes a value. */
        WebhookUpdate: {
            /** @description Where to send to: `https`, on port 443, 80, or one from 1024. */
            url?: string;
            /** @description What to send. */
            types?: ("link.created" | "link.updated" | "link.deleted" | "link.disabled" | "link.enabled" | "links.clicked" | "links.changed" | "owner.suspended" | "owner.resumed" | "webhook.test")[];
            /** @description What it is for, without control characters. */
            description?: string | null;
            /** @description Whether to send anything. Deliveries that wait when it becomes `false` are not sent. */
            is_enabled?: boolean;
            audit?: components["schemas"]["Audit"];
        };
        /** @description The clicks of a link. */
        ClickedLink: {
            /** @description The link's code. */
            short_code: string;
            /** @description The link's external identifier; `null` if it has none. */
            external_id: string | null;
            /** @description The number of all its clicks. Of several deliveries, the largest number is right. */
            clicks: number;
        };
        /** @description The changed members of a link, before and after a change. */
        LinkChanges: {
            /** @description The members before. */
            before: Record<string, never>;
            /** @description The members after. */
            after: Record<string, never>;
        };
        /** @description The data of a delivery. */
        LinkCreatedData: {
            link: components["schemas"]["Link"];
        };
        /** @description A link was created. */
        LinkCreatedEvent: {
            /**
             * @description What happened.
             */
            type: "link.created";
            /** @description When it happened. */
            timestamp: string;
            data: components["schemas"]["LinkCreatedData"];
        };
        /** @description The data of a delivery. */
        LinkDeletedData: {
            /** @description The link's code, which is never used again. */
            short_code: string;
            /** @description The external identifier that the link had; `null` if it had none. */
            external_id: string | null;
            /** @description Identifies the event of the deletion. */
            event_id: number | null;
        };
        /** @description A link was deleted. */
        LinkDeletedEvent: {
            /**
             * @description What happened.
             */
            type: "link.deleted";
            /** @description When it happened. */
            timestamp: string;
            data: components["schemas"]["LinkDeletedData"];
        };
        /** @description The data of a delivery. */
        LinkDisabledData: {
            link: components["schemas"]["Link"];
            /** @description Identifies the event of the change. */
            event_id: number | null;
            /**
             * @description Why the operator did it, such as `phishing`.
             */
            reason: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
        };
        /** @description The operator disabled a link. */
        LinkDisabledEvent: {
            /**
             * @description What happened.
             */
            type: "link.disabled";
            /** @description When it happened. */
            timestamp: string;
            data: components["schemas"]["LinkDisabledData"];
        };
        /** @description The data of a delivery. */
        LinkEnabledData: {
            link: components["schemas"]["Link"];
            /** @description Identifies the event of the change. */
            event_id: number | null;
            /**
             * @description Why the operator did it, such as `phishing`.
             */
            reason: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
        };
        /** @description The operator enabled a link. */
        LinkEnabledEvent: {
            /**
             * @description What happened.
             */
            type: "link.enabled";
            /** @description When it happened. */
            timestamp: string;
            data: components["schemas"]["LinkEnabledData"];
        };
        /** @description The data of a delivery. */
        LinkUpdatedData: {
            link: components["schemas"]["Link"];
            /** @description Identifies the event of the change; `null` if it has none. */
            event_id: number | null;
            changes: components["schemas"]["LinkChanges"];
        };
        /** @description A link was changed by its owner, or by the operator. */
        LinkUpdatedEvent: {
            /**
             * @description What happened.
             */
            type: "link.updated";
            /** @description When it happened. */
            timestamp: string;
            data: components["schemas"]["LinkUpdatedData"];
        };
        /** @description The data of a delivery. */
        LinksChangedData: {
            /** @description Identifies the event of the change. */
            event_id: number | null;
            /**
             * @description What was done, such as `link disable`.
             */
            action: "link disable" | "link enable" | "link pause" | "link unpause" | "link edit" | "link delete" | "owner add" | "owner plan" | "owner edit" | "owner suspend" | "owner resume" | "owner rename" | "owner delete" | "key add" | "key expire" | "key edit" | "key revoke" | "operator add" | "operator revoke" | "plan add" | "plan set" | "plan remove" | "block add" | "block allow" | "block remove" | "block import" | "block remove --source" | "domain add" | "domain remove" | "domain default" | "domain edit" | "webhook add" | "webhook edit" | "webhook rotate" | "webhook disable" | "webhook enable" | "webhook remove" | "usage reopen" | "undo" | "stop";
            /** @description Number of the owner's links that changed. */
            changed: number;
        };
        /** @description One change changed more than 100 links of the owner. */
        LinksChangedEvent: {
            /**
             * @description What happened.
             */
            type: "links.changed";
            /** @description When it happened. */
            timestamp: string;
            data: components["schemas"]["LinksChangedData"];
        };
        /** @description The data of a delivery. */
        LinksClickedData: {
            /** @description The links, at most 100. */
            links: components["schemas"]["ClickedLink"][];
        };
        /** @description Links were clicked. */
        LinksClickedEvent: {
            /**
             * @description What happened.
             */
            type: "links.clicked";
            /** @description When it happened. */
            timestamp: string;
            data: components["schemas"]["LinksClickedData"];
        };
        /** @description The data of a delivery. */
        OwnerResumedData: {
            /**
             * @description Why the operator did it, such as `phishing`.
             */
            reason: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
        };
        /** @description The operator resumed the owner. */
        OwnerResumedEvent: {
            /**
             * @description What happened.
             */
            type: "owner.resumed";
            /** @description When it happened. */
            timestamp: string;
            data: components["schemas"]["OwnerResumedData"];
        };
        /** @description The data of a delivery. */
        OwnerSuspendedData: {
            /**
             * @description Why the operator did it, such as `phishing`.
             */
            reason: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
        };
        /** @description The operator suspended the owner. */
        OwnerSuspendedEvent: {
            /**
             * @description What happened.
             */
            type: "owner.suspended";
            /** @description When it happened. */
            timestamp: string;
            data: components["schemas"]["OwnerSuspendedData"];
        };
        /** @description The data of a delivery. */
        WebhookTestData: Record<string, never>;
        /** @description The owner asked for a test. */
        WebhookTestEvent: {
            /**
             * @description What happened.
             */
            type: "webhook.test";
            /** @description When it happened. */
            timestamp: string;
            data: components["schemas"]["WebhookTestData"];
        };
        /** @description The query of `links.list`. */
        ListLinksQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
            /** @description Only links with one of these short codes, at most 100. Unknown ones are ignored, and the list has no pages. */
            code?: string[];
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
        /** @description The query of `links.delete`. */
        DeleteLinkQuery: {
            /**
             * @description The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`.
             */
            reason?: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
            /** @description A note for the history. */
            note?: string;
            /** @description The identifier of a case in your own system, for the history. */
            case_id?: string;
        };
        /** @description The query of `campaigns.list`. */
        ListCampaignsQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
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
        /** @description The query of `events.list`. */
        ListEventsQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
            /** @description Only events that changed the link with this short code, even if it is deleted. */
            short_code?: string;
            /**
             * @description Only events of this action, such as `link edit`.
             */
            action?: "link disable" | "link enable" | "link pause" | "link unpause" | "link edit" | "link delete" | "owner add" | "owner plan" | "owner edit" | "owner suspend" | "owner resume" | "owner rename" | "owner delete" | "key add" | "key expire" | "key edit" | "key revoke" | "operator add" | "operator revoke" | "plan add" | "plan set" | "plan remove" | "block add" | "block allow" | "block remove" | "block import" | "block remove --source" | "domain add" | "domain remove" | "domain default" | "domain edit" | "webhook add" | "webhook edit" | "webhook rotate" | "webhook disable" | "webhook enable" | "webhook remove" | "usage reopen" | "undo" | "stop";
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
        /** @description The query of `reports.clicks`. */
        GetClickReportQuery: {
            /** @description The month, such as `2026-01`. Without it and without days, the current month. */
            month?: string;
            /** @description The first day, such as `2026-01-31`, instead of a month. Without it, the 30th up to `to_day`. */
            from_day?: string;
            /** @description The last day, at most 400 days from `from_day`. Without it, today. */
            to_day?: string;
            /**
             * @description `day`, `campaign` or `link`: by what the clicks are summed up. Without it, by day.
             */
            by?: "day" | "campaign" | "link";
            /** @description Only links of this campaign, such as `spring`. The comparison is exact. */
            campaign?: string;
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
        /** @description The query of `webhooks.list`. */
        ListWebhooksQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
        };
        /** @description The query of `webhooks.delete`. */
        DeleteWebhookQuery: {
            /**
             * @description The reason for it, for the history: `phishing`, `malware`, `spam`, `legal`, `owner-request` or `other`.
             */
            reason?: "phishing" | "malware" | "spam" | "legal" | "owner-request" | "other";
            /** @description A note for the history. */
            note?: string;
            /** @description The identifier of a case in your own system, for the history. */
            case_id?: string;
        };
        /** @description The query of `webhooks.deliveries`. */
        ListWebhookDeliveriesQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
        };
        /** @description What a delivery reports. Servers may add types. */
        WebhookEvent: components["schemas"]["LinkCreatedEvent"] | components["schemas"]["LinkUpdatedEvent"] | components["schemas"]["LinkDeletedEvent"] | components["schemas"]["LinkDisabledEvent"] | components["schemas"]["LinkEnabledEvent"] | components["schemas"]["LinksClickedEvent"] | components["schemas"]["LinksChangedEvent"] | components["schemas"]["OwnerSuspendedEvent"] | components["schemas"]["OwnerResumedEvent"] | components["schemas"]["WebhookTestEvent"];
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
export type CampaignLinks = components['schemas']['CampaignLinks'];
export type CampaignLinksList = components['schemas']['CampaignLinksList'];
export type ClickReport = components['schemas']['ClickReport'];
export type ClickReportRow = components['schemas']['ClickReportRow'];
export type CreatedKey = components['schemas']['CreatedKey'];
export type CreatedWebhook = components['schemas']['CreatedWebhook'];
export type DayClicks = components['schemas']['DayClicks'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type DeliveryList = components['schemas']['DeliveryList'];
export type Domain = components['schemas']['Domain'];
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
export type KeyUpdate = components['schemas']['KeyUpdate'];
export type Link = components['schemas']['Link'];
export type LinkBatch = components['schemas']['LinkBatch'];
export type LinkBatchCreate = components['schemas']['LinkBatchCreate'];
export type LinkBatchItem = components['schemas']['LinkBatchItem'];
export type LinkChange = components['schemas']['LinkChange'];
export type LinkChangeResult = components['schemas']['LinkChangeResult'];
export type LinkChangeUpdate = components['schemas']['LinkChangeUpdate'];
export type LinkClicks = components['schemas']['LinkClicks'];
export type LinkCreate = components['schemas']['LinkCreate'];
export type LinkList = components['schemas']['LinkList'];
export type LinkSelectors = components['schemas']['LinkSelectors'];
export type LinkUpdate = components['schemas']['LinkUpdate'];
export type Owner = components['schemas']['Owner'];
export type OwnerUsage = components['schemas']['OwnerUsage'];
export type Plan = components['schemas']['Plan'];
export type Problem = components['schemas']['Problem'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookCreate = components['schemas']['WebhookCreate'];
export type WebhookList = components['schemas']['WebhookList'];
export type WebhookUpdate = components['schemas']['WebhookUpdate'];
export type ClickedLink = components['schemas']['ClickedLink'];
export type LinkChanges = components['schemas']['LinkChanges'];
export type LinkCreatedData = components['schemas']['LinkCreatedData'];
export type LinkCreatedEvent = components['schemas']['LinkCreatedEvent'];
export type LinkDeletedData = components['schemas']['LinkDeletedData'];
export type LinkDeletedEvent = components['schemas']['LinkDeletedEvent'];
export type LinkDisabledData = components['schemas']['LinkDisabledData'];
export type LinkDisabledEvent = components['schemas']['LinkDisabledEvent'];
export type LinkEnabledData = components['schemas']['LinkEnabledData'];
export type LinkEnabledEvent = components['schemas']['LinkEnabledEvent'];
export type LinkUpdatedData = components['schemas']['LinkUpdatedData'];
export type LinkUpdatedEvent = components['schemas']['LinkUpdatedEvent'];
export type LinksChangedData = components['schemas']['LinksChangedData'];
export type LinksChangedEvent = components['schemas']['LinksChangedEvent'];
export type LinksClickedData = components['schemas']['LinksClickedData'];
export type LinksClickedEvent = components['schemas']['LinksClickedEvent'];
export type OwnerResumedData = components['schemas']['OwnerResumedData'];
export type OwnerResumedEvent = components['schemas']['OwnerResumedEvent'];
export type OwnerSuspendedData = components['schemas']['OwnerSuspendedData'];
export type OwnerSuspendedEvent = components['schemas']['OwnerSuspendedEvent'];
export type WebhookTestData = components['schemas']['WebhookTestData'];
export type WebhookTestEvent = components['schemas']['WebhookTestEvent'];
export type ListLinksQuery = components['schemas']['ListLinksQuery'];
export type DeleteLinkQuery = components['schemas']['DeleteLinkQuery'];
export type ListCampaignsQuery = components['schemas']['ListCampaignsQuery'];
export type GetLinkClicksQuery = components['schemas']['GetLinkClicksQuery'];
export type ListLinkEventsQuery = components['schemas']['ListLinkEventsQuery'];
export type ListEventsQuery = components['schemas']['ListEventsQuery'];
export type ListEventChangesQuery = components['schemas']['ListEventChangesQuery'];
export type GetClickReportQuery = components['schemas']['GetClickReportQuery'];
export type ListKeysQuery = components['schemas']['ListKeysQuery'];
export type RevokeKeyQuery = components['schemas']['RevokeKeyQuery'];
export type ListWebhooksQuery = components['schemas']['ListWebhooksQuery'];
export type DeleteWebhookQuery = components['schemas']['DeleteWebhookQuery'];
export type ListWebhookDeliveriesQuery = components['schemas']['ListWebhookDeliveriesQuery'];
export type WebhookEvent = components['schemas']['WebhookEvent'];
