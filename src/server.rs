//! The server. It opens its sockets, starts its tasks, serves requests and shuts down.

mod directories;
mod error;
mod listener;
mod socket;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

use futures_util::future::select_all;
use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use self::directories::{
    backup_schedule, check_spool_directory, measured_directories, restore_clicks, warn_ignored,
};
pub use self::error::ServeError;
use self::listener::{Sockets, addresses, connection_limits, serve_requests};
use self::socket::Socket;
use crate::config::Settings;
use crate::domain::backup::{self, BackupSchedule};
use crate::domain::blocks::{BlockFile, BlockFileError, Blocklist};
use crate::domain::clicks::spool::Spool;
use crate::domain::clicks::{LeftOver, Primary, Recorder, day_close, delivery, rollup};
use crate::domain::links::{self, Creator, LinkRules, OwnerPermits};
use crate::domain::rate_limits::{ClientLimits, OwnerLimits};
use crate::domain::status::Instance;
use crate::domain::usage::requests::RequestCounts;
use crate::domain::webhooks::Sender;
use crate::domain::webhooks::deliver::Deliverer;
use crate::domain::{
    Addresses, Caches, blocks, cache_invalidation, owners, rate_limits, storage_space, sweeper,
};
use crate::http::request_log::RequestLog;
use crate::http::{
    Agents, AppState, ClientAddresses, ConsolePaths, CursorCipher, EventDescriber, HttpService,
    LongChanges, SitePages,
};
use crate::metrics::Metrics;
use crate::store::subscriptions::{self, Subscriptions};
use crate::store::{DatabaseUrl, Store, StoreError, installation, invalidations};
use crate::values::{BaseUrl, CONSOLE_CODE, ServiceUrls, is_private};

/// Maximum time that a shutdown waits for pending link creations. A log message contains this time.
const LAST_CREATIONS_TIMEOUT: Duration = Duration::from_secs(5);

const CREATOR: &str = "link-creator";
const RECORDER: &str = "click-recorder";

/// A server that has opened its sockets but does not accept connections yet.
pub struct Bound {
    sockets: Sockets,
    /// Base URL of the service.
    pub base_url: BaseUrl,
    blocks: BlockSources,
    pages: SitePages,
    backups: Option<BackupSchedule>,
}

/// The blocklist with the patterns of the block file, and the block file if there is one.
struct BlockSources {
    blocklist: Arc<Blocklist>,
    file: Option<BlockFile>,
}

impl BlockSources {
    fn open(settings: &Settings) -> Result<Self, BlockFileError> {
        let blocklist = Arc::new(Blocklist::default());
        let open = |path: &PathBuf| BlockFile::open(path, &blocklist);
        let file = settings.block_file.as_ref().map(open).transpose()?;
        Ok(Self { blocklist, file })
    }
}

/// Opens the sockets, reads the block file, renders the pages and checks the directories. It runs
/// before the database is opened: a second server on the same address, or a server with an invalid
/// block file, template or directory, thus fails before it changes anything.
///
/// # Errors
/// [`ServeError::Listen`], [`ServeError::BaseUrl`], [`ServeError::Pages`],
/// [`ServeError::BlockFile`], [`ServeError::SpoolDirectory`] or [`ServeError::Backup`]
pub async fn bind(settings: &Settings, database: &DatabaseUrl) -> Result<Bound, ServeError> {
    let sockets = Sockets::open(settings).await?;
    let base_url = settings.base_url_at(sockets.public_tcp())?;
    let (templates, contact) = (settings.pages.as_deref(), settings.contact.as_ref());
    let pages = SitePages::new(templates, &base_url, contact, settings.console)?;
    let blocks = BlockSources::open(settings)?;
    check_spool_directory(settings, database)?;
    let backups = backup_schedule(settings, database)?;
    Ok(Bound { sockets, base_url, blocks, pages, backups })
}

/// Serves requests until `stop` is ready, and delivers clicks to `primary` while the database is a
/// standby. Then it completes the requests in progress, stores all
/// clicks and closes the database.
///
/// # Errors
/// If the server cannot start, a required task exits, or the database fails at shutdown.
pub async fn serve(
    bound: Bound,
    database: &DatabaseUrl,
    primary: Option<DatabaseUrl>,
    store: Store,
    settings: &Settings,
    metrics: Metrics,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let secret = installation::secret(store.reader()).await?;
    tracing::info!(database = database.location(), "database opened");
    bound.pages.log();
    bound.blocks.file.iter().for_each(BlockFile::log);
    if !owners::any(&store).await? {
        tracing::warn!("no API key yet: `terse owner add NAME` creates an owner and prints one");
    }
    let spool = Arc::new(Spool::new(settings.spool_directory(database), &secret));
    restore_clicks(&spool, &store, database).await?;
    if primary.is_some() && database.sqlite_file().is_some() {
        warn_ignored(
            "--primary-url, TERSE_PRIMARY_URL",
            "an SQLite database is no standby, so that no clicks wait for a primary",
        );
    }
    let primary = primary.map(|url| Primary::new(url, settings.primary_limits(), &secret));
    let Bound { sockets, base_url, blocks, pages, backups } = bound;
    let (app, mut tasks) =
        build(&store, settings, metrics, base_url, blocks, secret, &spool).await?;
    let (creator, recorder) = (app.creator.clone(), app.recorder.clone());
    let request_log = Arc::clone(&app.request_log);
    let request_counts = Arc::clone(&app.request_counts);
    let instance = app.instance;
    let space = storage_space::run(
        store.for_background_tasks(),
        measured_directories(settings, database),
        Arc::clone(&app.metrics),
    );
    tasks.spawn("storage-space", space);
    if !database.is_read_only() {
        let (metrics, delay) =
            (Arc::clone(&app.metrics), Duration::from_millis(settings.close_delay));
        let background = store.for_background_tasks();
        let close = day_close::run(background, settings.keep_days, delay, metrics);
        tasks.spawn("day-close", close);
        let background = store.for_background_tasks();
        tasks.spawn("spool", delivery::run(Arc::clone(&spool), background, primary));
        let counts = Arc::clone(&app.request_counts);
        tasks.spawn("usage-requests", counts.run(store.for_background_tasks()));
        tasks.spawn("instances", instance.run(store.for_background_tasks()));
    }
    let deliverer = app.webhooks.clone().filter(|_| !database.is_read_only()).map(|sender| {
        let background = store.for_background_tasks();
        let (describer, metrics) = (EventDescriber::new(&app), Arc::clone(&app.metrics));
        let second = Duration::from_millis(settings.webhook_second);
        Deliverer::new(background, sender, describer, metrics, second)
    });
    if let Some(deliverer) = &deliverer {
        tasks.spawn("webhooks", Arc::clone(deliverer).run());
    }
    if let Some(schedule) = backups {
        let metrics = Arc::clone(&app.metrics);
        let backups = backup::run_schedule(store.for_background_tasks(), schedule, metrics);
        tasks.spawn("backups", backups);
    }
    let is_unspecified = sockets.public_tcp().is_some_and(|address| address.ip().is_unspecified());
    if settings.base_url.is_none() && is_unspecified {
        tracing::warn!(
            base_url = %app.base_url,
            "short URLs begin with an address that no client can visit; set --base-url to the public one"
        );
    }
    let limits = connection_limits(settings);
    warn_if_public(&sockets.operator);
    let operator_address = addresses(&sockets.operator)?;
    let operator_address = (!operator_address.is_empty()).then_some(operator_address);
    tracing::info!(
        url = %app.base_url,
        address = addresses(&sockets.public)?,
        operator_address,
        docs = %format_args!("{}/docs", app.base_url),
        "listening"
    );
    let serving = serve_requests(sockets, HttpService::new(Arc::clone(&app), pages), limits, stop);
    let served = tokio::select! {
        () = serving => Ok(()),
        // Without the recorder, its clicks are lost, and every further redirect would wait forever.
        _ = &mut tasks.recorder => return Err(ServeError::TaskExited(RECORDER)),
        _ = &mut tasks.creator => Err(ServeError::TaskExited(CREATOR)),
        name = first_to_exit(&mut tasks.background) => Err(ServeError::TaskExited(name)),
    };
    app.long_changes.stop().await;
    drop(app);
    request_log.begin_second();
    creator.close();
    let created = last_creations(tasks.creator).await;
    recorder.close();
    if let Some(deliverer) = deliverer
        && let Err(error) = deliverer.release().await
    {
        tracing::debug!(%error, "another instance delivers webhooks after some seconds only");
    }
    let drained =
        drain(store, tasks.recorder, tasks.background, &request_counts, &spool, instance).await;
    // All steps have run, even after an error, so that the clicks of sent redirects are stored. The
    // result is the first error.
    served.and(created).and(drained)
}

/// Warns if other hosts than those of a private network may reach a socket for the operator.
fn warn_if_public(sockets: &[Socket]) {
    for address in sockets.iter().filter_map(Socket::tcp_address).filter(|of| !is_private(of.ip()))
    {
        tracing::warn!(
            %address,
            "the operator's listener has a public address; let it listen on loopback, a Unix socket or a \
             private address"
        );
    }
}

/// Name and handle of a background task that runs as long as the server.
type Background = (&'static str, JoinHandle<()>);

/// The tasks of a running server.
struct Tasks {
    /// The recorder of clicks. It returns the batches that it could not store.
    recorder: oneshot::Receiver<LeftOver>,
    creator: oneshot::Receiver<()>,
    background: Vec<Background>,
}

impl Tasks {
    fn spawn(&mut self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        self.background.push((name, tokio::spawn(task)));
    }
}

/// Builds the state that all requests share, and starts the tasks of the server.
async fn build(
    store: &Store,
    settings: &Settings,
    metrics: Metrics,
    base_url: BaseUrl,
    BlockSources { blocklist, file: block_file }: BlockSources,
    secret: String,
    spool: &Arc<Spool>,
) -> Result<(Arc<AppState>, Tasks), ServeError> {
    let metrics = Arc::new(metrics);
    // The position is read before the caches fill, so that they miss no later change.
    let position = invalidations::end(store.reader()).await?;
    blocks::load_into(store, &blocklist).await?;
    let service = ServiceUrls::new(base_url.clone(), &settings.also_at);
    let addresses = Arc::new(Addresses::open(store, service).await?);
    let caches = Arc::new(Caches::new(settings.cache_bytes() as u64, &blocklist, &addresses));
    caches.code_kinds.load(store).await?;
    // During an outage, the buffer must have room for clicks of every cached link.
    let click_bytes = settings.queue_bytes().max(settings.cache_bytes());
    let producer_id = UnwrapErr(SysRng).random();
    let (recorder, recorder_worker) = Recorder::new(
        store.clone(),
        Arc::clone(spool),
        Arc::clone(&metrics),
        producer_id,
        click_bytes,
    );
    let rules = LinkRules {
        addresses: Arc::clone(&addresses),
        blocklist: Arc::clone(&blocklist),
        contact: settings.contact.as_ref().map(|contact| contact.as_str().to_owned()),
    };
    let (creator, creator_worker) =
        Creator::new(store.clone(), rules, Arc::clone(&metrics), settings.queue_bytes());
    let sender = settings.webhooks.then(|| Sender::new(settings.webhook_targets())).transpose()?;
    // Without webhooks, changes store no deliveries.
    let subscriptions = match sender {
        Some(_) => subscriptions::read(store.reader()).await?,
        None => Subscriptions::default(),
    };
    store.set_subscriptions(subscriptions);
    let invalidation = cache_invalidation::run(
        store.for_background_tasks(),
        Arc::clone(&caches),
        position,
        settings.webhooks,
    );
    let owner_limits = Arc::<OwnerLimits>::default();
    let client_limits = Arc::new(ClientLimits::new(|limit| settings.client_rate(limit)));
    let cleanup = rate_limits::run(Arc::clone(&owner_limits), Arc::clone(&client_limits));
    let request_log = Arc::new(RequestLog::new(settings.access_log));
    let mut tasks = Tasks {
        recorder: spawn_thread(RECORDER, recorder_worker.run()).map_err(ServeError::Thread)?,
        creator: spawn_thread(CREATOR, creator_worker.run(UnwrapErr(SysRng)))
            .map_err(ServeError::Thread)?,
        background: Vec::new(),
    };
    let background = || store.for_background_tasks();
    tasks.spawn("request-log", Arc::clone(&request_log).run());
    tasks.spawn("click-rollup", rollup::run(background(), Arc::clone(&metrics)));
    tasks.spawn("cache-invalidation", invalidation);
    tasks.spawn("blocklist", blocks::run(background(), Arc::clone(&blocklist)));
    tasks.spawn("sweeper", sweeper::run(background(), settings.keep_days));
    tasks.spawn("rate-limits", cleanup);
    tasks.spawn("creation-expiry", creator.clone().expire_late());
    tasks.spawn("click-release", recorder.clone().release_stalled());
    if let Some(file) = block_file {
        tasks.spawn("block-file", file.watch(blocklist));
    }
    let app = AppState {
        store: store.clone(),
        caches,
        instance: Instance::new(store.now()),
        recorder,
        creator,
        list_permits: OwnerPermits::for_lists(
            store.request_connections(),
            settings.server_limits().acquire_timeout,
        ),
        batch_permits: OwnerPermits::for_batches(),
        body_permits: OwnerPermits::for_bodies(),
        long_changes: LongChanges::new(Duration::from_millis(settings.change_wait)),
        base_url,
        addresses,
        console: console_paths(store, settings).await?,
        unknown_hosts: settings.unknown_hosts,
        cursor_cipher: CursorCipher::new(secret),
        client_addresses: ClientAddresses {
            proxies: settings.trusted_proxies(),
            header: settings.client_header,
        },
        agents: Agents::new(settings.count_robots),
        owner_limits,
        client_limits,
        request_counts: Arc::default(),
        webhooks: sender,
        metrics,
        request_log,
    };
    Ok((Arc::new(app), tasks))
}

/// Returns the paths of the console. A link that has its code from an earlier version takes precedence.
async fn console_paths(store: &Store, settings: &Settings) -> Result<ConsolePaths, StoreError> {
    if !settings.console {
        return Ok(ConsolePaths::None);
    }
    if !links::exists(store, CONSOLE_CODE).await? {
        return Ok(ConsolePaths::All);
    }
    tracing::warn!(
        "a link has the reserved code console, so /console leads to its destination; the console is at /console/"
    );
    Ok(ConsolePaths::Below)
}

/// Runs a worker on a thread of its own, because it blocks on the disk. The returned receiver
/// completes when the worker ends.
fn spawn_thread<T: Send + 'static>(
    name: &str,
    worker: impl Future<Output = T> + Send + 'static,
) -> Result<oneshot::Receiver<T>, io::Error> {
    let (mut sender, receiver) = oneshot::channel();
    let runtime = Handle::current();
    let work = move || {
        let result = runtime.block_on(async {
            tokio::select! {
                result = worker => Some(result),
                // The server has failed, and its runtime is about to shut down.
                () = sender.closed() => None,
            }
        });
        if let Some(result) = result {
            let _ = sender.send(result);
        }
    };
    Builder::new().name(name.to_owned()).spawn(work)?;
    Ok(receiver)
}

/// Waits until a background task exits, and returns its name.
async fn first_to_exit(tasks: &mut [Background]) -> &'static str {
    let exits = tasks.iter_mut().map(|(name, task)| {
        Box::pin(async {
            let _ = task.await;
            *name
        })
    });
    select_all(exits).await.0
}

/// Waits for the pending link creations, but for no longer than [`LAST_CREATIONS_TIMEOUT`].
async fn last_creations(creator: oneshot::Receiver<()>) -> Result<(), ServeError> {
    // The creator has already exited, which `serve` reports.
    if creator.is_terminated() {
        return Ok(());
    }
    match timeout(LAST_CREATIONS_TIMEOUT, creator).await {
        Ok(ended) => ended.map_err(|_| ServeError::TaskExited(CREATOR)),
        Err(_) => {
            tracing::warn!("link creations still pending after 5 s; shutting down without them");
            Ok(())
        }
    }
}

/// Stores the last clicks and closes the database. If the database is unavailable, it writes the
/// clicks into a spool file instead.
async fn drain(
    store: Store,
    recorder: oneshot::Receiver<LeftOver>,
    background: impl IntoIterator<Item = Background>,
    request_counts: &RequestCounts,
    spool: &Spool,
    instance: Instance,
) -> Result<(), ServeError> {
    let left_over = recorder.await.map_err(|_| ServeError::TaskExited(RECORDER))?;
    for (_, task) in background {
        if !task.is_finished() {
            task.abort();
            // Waits until the task has stopped. Its last statement may still run on a blocking
            // thread, but holds the write lock until it ends.
            let _ = task.await;
        }
    }
    if let Err(error) = request_counts.store(&store).await {
        tracing::warn!(%error, "the requests of the last seconds could not be stored, and are in no usage");
    }
    if let Err(error) = instance.end(&store).await {
        tracing::debug!(%error, "others count this server for some more seconds");
    }
    if !left_over.batches.is_empty() {
        return write_spool(&left_over, spool);
    }
    let undelivered = spool.journal().undelivered();
    if undelivered > 0 {
        let file = spool.journal().path().display();
        tracing::warn!(
            %file,
            clicks = undelivered,
            "clicks wait for the primary; the next start delivers them"
        );
    }
    if !store.is_standby()
        && let Err(error) = rollup::roll_up_all(&store).await
    {
        tracing::warn!(%error, "clicks are stored but not rolled up; the next start rolls them up");
    }
    store.close().await?;
    tracing::info!("stopped");
    Ok(())
}

/// Writes clicks into a spool file, whose clicks the server stores at its next start.
fn write_spool(LeftOver { place, batches }: &LeftOver, spool: &Spool) -> Result<(), ServeError> {
    let clicks = batches.iter().flat_map(|batch| &batch.clicks).map(|clicks| clicks.count).sum();
    match spool.write(*place, batches) {
        Ok(file) => {
            let file = file.display();
            tracing::warn!(%file, clicks, "clicks could not be stored; the next start stores them");
            Ok(())
        }
        Err(error) => {
            let directory = spool.directory().to_owned();
            Err(ServeError::ClicksLost { clicks, directory, error })
        }
    }
}
