//! Names of fields, and parts of them, that services use. Each list has plain names, separated by blanks.

/// Names of fields, or of objects around them, with rules that lead some visitors elsewhere.
pub(crate) const RULES: &str = "\
    abtest abtests countrytargets devicetargeting devicetargets geo geotargeting geotargets \
    redirectrules splittest targetingrules testvariants";

/// Names of objects that are the link, or hold its own properties.
pub(crate) const WRAPPERS: &str = "\
    attributes data fields item link links node options properties record settings url";

/// Names of parts of a link that have a state of their own, which says nothing about the redirect.
pub(crate) const PARTS: &str = "android ios og opengraph preview seo tracking webhook";

/// Names of objects about the person who created a link, which restrict nothing.
pub(crate) const PEOPLE: &str = "author createdby creator owner updatedby user";

/// Names of fields about a person.
pub(crate) const PERSONAL: &str = "\
    avatar avatarurl email firstname fullname image lastname login mail name picture username";

/// Parts of names of passwords, also in other languages.
pub(crate) const PASSWORDS: &str = "\
    password passwd passphrase passcode secret passwort kennwort motdepasse contraseña contrasena \
    senha wachtwoord hasło heslo lösenord пароль şifre パスワード 密码 密碼";

/// Names of passwords and of objects with them.
pub(crate) const LOCKS: &str = "\
    auth authentication isprotected lock pass pincode protected protection pwd";

/// Names of the kind of a link.
pub(crate) const KINDS: &str = "linktype type";

/// Parts of names of what closes a link.
pub(crate) const CLOSING: &str = "\
    suspen disabl block banned pause locked hidden frozen freeze embargo snooze inactiv deactivat \
    closed quarantin revoke reject trash retire";

/// Parts of names of what links belong to.
pub(crate) const HOLDERS: &str = "account countr user owner domain workspace";

/// Parts of names of the states of [`HOLDERS`], which may also be states of their links.
pub(crate) const STATES: &str = "status state active enabled block lock allow deny";

/// Names of times after which a link does not redirect.
pub(crate) const EXPIRIES: &str = "\
    ttl enddate endsat endat ends end endson activeto validto validtill closesat closeat \
    deleteafter deleteat killdate sunset sunsetat removeafter";

/// Names of flags that close a link, without `is`.
pub(crate) const DISABLED: &str = "\
    disabled banned blocked paused suspended deleted trashed removed revoked inactive locked \
    deactivated closed stopped frozen killed hidden broken draft";

/// Names of flags and states that open a link, without `is`.
pub(crate) const ACTIVE: &str = "\
    active enabled live published status state linkstatus linkstate urlstatus online running open \
    usable valid";

/// Names of times before which a link does not redirect.
pub(crate) const STARTS: &str = "\
    startsat startat startdate start starts startson activefrom activeat activateat activatesat \
    activationdate availablefrom availableat publishat publishdate scheduledat golive";

/// Names of limits to some visitors, without `is`.
pub(crate) const AUDIENCES: &str = "\
    private visibility access accesslevel requireslogin requirelogin requiresauth loginrequired \
    authrequired memberonly membersonly internal";

/// Names of fields that may hold the code of a link.
pub(crate) const OTHER_CODES: &str = "\
    alias aliases backhalf backhalves code codes customalias customcode custompath customslug \
    customshortcode customurl customizeurl custombitlinks customlink ending hash id key keyword \
    link linkid name path rowkey short shortcode shortid shortlink shortlinks shortname shortpath \
    shorturl shorturlpath secureshorturl fullshorturl shrinkurl slashtag slug slugs suffix tinyurl \
    token uid urlcode urlid vanity";

/// Names of fields that neither restrict a link nor hold a code.
pub(crate) const IGNORED: &str = "\
    browser category channel city client cloaking color comment comments country crawlable \
    createdby creator data description device favicon favourite folder group host icon image ip \
    ipaddress isapi label labels language lcpath line linkpreview links list note notes \
    organization os references owner pagination project tag tags team title user uuid";

/// Parts of the names of fields that say nothing about the redirect.
pub(crate) const IGNORED_PARTS: &str = "\
    analytics author click campaign count created creator domain engagement favicon folder image \
    lastclick meta modified ogtitle owner pixel qr referr stats timestamp updated user utm visit \
    views workspace hits";
