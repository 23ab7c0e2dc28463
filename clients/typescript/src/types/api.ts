// Generated from openapi/openapi.json by scripts/clients --generate.
export interface components {
    schemas: {
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
        /** @description A link in a list. */
        Link: {
            /** @description The link's code. */
            short_code: string;
            /** @description Where the link leads. */
            destination_url: string;
            /** @description The campaign that the link belongs to; `null` without one. */
            campaign: string | null;
            /** @description Number of clicks, at most 2⁵³ − 1. */
            clicks: number;
        };
        /** @description Links of the owner, newest first. */
        LinkList: {
            /** @description The links. */
            data: components["schemas"]["Link"][];
        };
        /** @description A link and its statistics. */
        LinkStats: {
            /** @description The link's code. */
            short_code: string;
            /** @description Where the link leads. */
            destination_url: string;
            /** @description The campaign that the link belongs to; `null` without one. */
            campaign: string | null;
            /** @description Number of clicks, at most 2⁵³ − 1. */
            clicks: number;
            /**
             * @description 1 while the link redirects to its destination; 0 if it has expired or is paused, or if the operator has disabled it or blocked its destination: it then returns 410, or 451 because of a legal demand.
             */
            is_active: 0 | 1;
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
            code: "malformed-request" | "unauthorized" | "owner-suspended" | "key-scope" | "link-not-found" | "cursor-not-found" | "not-found" | "method-not-allowed" | "code-in-use" | "code-reserved" | "plan-limit-reached" | "daily-limit-reached" | "expiry-passed" | "idempotency-key-reused" | "qr-colours-too-close" | "qr-code-too-long" | "body-too-large" | "unsupported-media-type" | "unsupported-content-encoding" | "invalid-input" | "destination-blocked" | "rate-limited" | "internal-error" | "unavailable";
            /** @description The identifier of this request in the server's log, also in the header `X-Request-Id`: quote it when you ask the operator for help. */
            request_id: string;
            /** @description The fields that are not valid, with `invalid-input` and `destination-blocked`; or the parameter or header that is not, with `malformed-request` unless the body is not JSON. */
            errors?: components["schemas"]["FieldError"][];
        };
        /** @description A link with a QR code in a list. */
        QrCodeLink: {
            /** @description The link's code. */
            short_code: string;
            /** @description Where the link leads. */
            destination_url: string;
            /** @description The link's title; `null` without one. */
            title: string | null;
            /**
             * @description Always 1: the list has only links whose QR code is enabled.
             */
            has_qr: 0 | 1;
        };
        /** @description Links of the owner whose QR code is enabled, newest first. */
        QrCodeList: {
            /** @description The links. */
            data: components["schemas"]["QrCodeLink"][];
        };
        /** @description The link whose QR code to enable, and how to draw it. */
        QrCodeRequest: {
            /** @description The link's code. */
            short_code: string;
            /**
             * @description How much of the image may be lost with the code still readable: `L` 7 %, `M` 15 %, `Q` 25 %, `H` 30 %. Absent: the stored value, at first `M`.
             */
            error_correction?: "L" | "M" | "Q" | "H" | null;
            /** @description The quiet zone around the code in modules; the standard asks for 4. Absent: the stored value, at first 4. */
            margin?: number | null;
            /** @description The colour of the modules, as `#rrggbb`. Absent: the stored value, at first `#000000`. */
            foreground?: string | null;
            /** @description The colour behind them, as `#rrggbb`; with a contrast ratio of at least 3 to `foreground`. Absent: the stored value, at first `#ffffff`. */
            background?: string | null;
        };
        /** @description A link whose QR code is enabled now. */
        QrCodeResponse: {
            /** @description The link's code. */
            short_code: string;
            /**
             * @description 1: the QR code is enabled.
             */
            has_qr: 0 | 1;
            /** @description Where the images are, for people; programs find the SVG in the header `Location`. */
            message: string;
        };
        /** @description A link to create. */
        ShortenRequest: {
            /** @description Where the link leads: an absolute `http` or `https` URL with a host by the WHATWG URL standard, of at most 8,192 bytes (`maxLength` counts characters), which is stored exactly as sent and is not one of this service. */
            url: string;
            /** @description The link's title, for people, without control characters. */
            title?: string | null;
            /** @description The campaign that the link belongs to, without control characters; lists can be filtered by it, spelled exactly as here. */
            campaign?: string | null;
            /**
             * @description The time at which the link expires (RFC 3339): from then on, it returns 410, or redirects to a fallback if the operator has set one. A time that is not in the future returns 409 `expiry-passed`.
             */
            expires_at?: string | Date | null;
            /** @description The short code to give the link, case-sensitive. On a plan without custom codes (such as `free`) it is ignored and a random code is generated: read `short_code` in the response. */
            custom_code?: string | null;
        };
        /** @description A link that was created. */
        ShortenResponse: {
            /** @description The link's code. */
            short_code: string;
            /** @description The URL to hand out: it redirects to the destination. */
            short_url: string;
            /** @description Where the link leads, exactly as it was sent. */
            destination_url: string;
        };
        /** @description The statistics of one link. */
        StatsResponse: {
            data: components["schemas"]["LinkStats"];
        };
        /** @description The query of `listLinks`. */
        ListLinksQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
            /** @description Only links of this campaign, such as `spring`. The comparison is exact. */
            campaign?: string;
            /**
             * @description Only links that redirect (`1`), or only those that do not (`0`).
             */
            active?: 0 | 1;
        };
        /** @description The query of `listQrCodes`. */
        ListQrCodesQuery: {
            /**
             * @description Number of items per page, from `1` to `1000`; by default `1000`. The list has all pages.
             * @default 1000
             */
            limit?: number;
            /** @description Only links of this campaign, such as `spring`. The comparison is exact. */
            campaign?: string;
            /**
             * @description Only links that redirect (`1`), or only those that do not (`0`).
             */
            active?: 0 | 1;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type FieldError = components['schemas']['FieldError'];
export type Link = components['schemas']['Link'];
export type LinkList = components['schemas']['LinkList'];
export type LinkStats = components['schemas']['LinkStats'];
export type Problem = components['schemas']['Problem'];
export type QrCodeLink = components['schemas']['QrCodeLink'];
export type QrCodeList = components['schemas']['QrCodeList'];
export type QrCodeRequest = components['schemas']['QrCodeRequest'];
export type QrCodeResponse = components['schemas']['QrCodeResponse'];
export type ShortenRequest = components['schemas']['ShortenRequest'];
export type ShortenResponse = components['schemas']['ShortenResponse'];
export type StatsResponse = components['schemas']['StatsResponse'];
export type ListLinksQuery = components['schemas']['ListLinksQuery'];
export type ListQrCodesQuery = components['schemas']['ListQrCodesQuery'];
