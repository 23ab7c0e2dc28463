//! Where a server is put together, run and drained.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

use futures_util::future::select_all;
use poem::Server;
use poem::listener::{Acceptor, Listener, TcpAcceptor, TcpListener};
use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::config::Settings;
use crate::domain::clicks::{Recorder, fold, spool};
use crate::domain::links::{Creating, Creator};
use crate::domain::{Caches, followers, sweeper};
use crate::http::api::cursor::Seal;
use crate::http::connections::IdleAcceptor;
use crate::http::{App, Front, Pages};
use crate::metrics::Metrics;
use crate::store::clicks::Batch;
use crate::store::{DatabaseUrl, Store, StoreError, changes, installation};
use crate::values::{BaseUrl, Invalid};

/// How long those links may take at the end that nobody waits for any more. Clicks come after them,
/// and may have another place to go.
const LAST_LINKS: Duration = Duration::from_secs(5);

/// Requests that may be under way over one connection of HTTP/2, each with an answer that the client
/// may not read. poem has no limit of its own, whatever it says.
const HTTP2_STREAMS: u32 = 100;

/// Why a server does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
    /// The address that is listened on makes no base URL.
    #[error("the base URL {0}")]
    BaseUrl(#[from] Invalid),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Metrics could not be set up, which is a defect.
    #[error("metrics: {0}")]
    Metrics(#[from] prometheus::Error),
    /// A task without which nothing is right has ended, which is a defect.
    #[error("the task that {0} ended unexpectedly")]
    BrokenOff(&'static str),
    /// The database was away until the end, and there was no other place for clicks.
    #[error("{clicks} clicks could not be stored, and cannot be saved in {directory}: {error}")]
    ClicksLost {
        /// How many.
        clicks: i64,
        /// Where they were to be kept.
        directory: PathBuf,
        /// Why they are not.
        error: std::io::Error,
    },
    /// There is no room for a thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The server broke off.
    #[error("the server stopped: {0}")]
    Io(#[from] std::io::Error),
}

/// A server that listens and does not answer yet.
pub struct Bound {
    acceptor: TcpAcceptor,
    /// The address, with the port that was found where any would do.
    address: SocketAddr,
    /// The service's public address.
    pub base_url: BaseUrl,
}

/// Takes the address, so that a second server on it fails before it touches anything.
///
/// # Errors
/// [`ServeError::Listen`], [`ServeError::BaseUrl`]
pub async fn bind(settings: &Settings) -> Result<Bound, ServeError> {
    let address = settings.listen;
    let listen = |error| ServeError::Listen { address, error };
    let acceptor = TcpListener::bind(address).into_acceptor().await.map_err(listen)?;
    let mut bound = acceptor.local_addr().into_iter();
    let address = bound.find_map(|local| local.as_socket_addr().copied()).unwrap_or(address);
    let base_url = settings.base_url_at(address)?;
    if settings.base_url.is_none() && address.ip().is_unspecified() {
        tracing::warn!(
            %base_url,
            "short URLs begin with an address that nobody can visit; set --base-url to the public one"
        );
    }
    Ok(Bound { acceptor, address, base_url })
}

/// Serves until `stop` is ready, then answers what is under way, stores every click and closes the
/// database.
///
/// # Errors
/// When the server cannot begin, or the database fails at its end.
pub async fn serve(
    bound: Bound,
    database: &DatabaseUrl,
    store: Store,
    settings: &Settings,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let Bound { acceptor, address, base_url } = bound;
    let metrics = Arc::new(Metrics::new()?);
    let caches = Arc::new(Caches::new(settings.cache_bytes() as u64));
    let spool = Spool {
        directory: settings.spool_directory(database),
        installation: installation::name(store.reader()).await?,
    };
    // What is there waits for a server that may write.
    if !database.is_read_only() {
        spool::take_in(&store, &spool.directory, &spool.installation).await?;
    }
    let writer = UnwrapErr(SysRng).random();
    // A link that is remembered redirects on, whatever becomes of the database.
    let for_clicks = settings.queue_bytes().max(settings.cache_bytes());
    let (recorder, recording) =
        Recorder::new(store.clone(), Arc::clone(&metrics), writer, for_clicks);
    let for_links = settings.queue_bytes();
    let (creator, creating) =
        Creator::new(store.clone(), base_url.clone(), Arc::clone(&metrics), for_links);
    let last_change = changes::end(store.reader()).await?;
    let app = Arc::new(App {
        store: store.clone(),
        caches: Arc::clone(&caches),
        recorder: recorder.clone(),
        creator: creator.clone(),
        base_url,
        seal: Seal::new(spool.installation.clone()),
        metrics: Arc::clone(&metrics),
        pages: Pages::default(),
    });
    let mut recording = tokio::spawn(recording.run());
    let mut creating = create_links(creating)?;
    let mut background = [
        ("adds clicks up", tokio::spawn(fold::run(store.aside(), metrics))),
        ("follows changes", tokio::spawn(followers::follow(store.aside(), caches, last_change))),
        ("deletes what is out of date", tokio::spawn(sweeper::run(store.aside()))),
        ("answers requests that have waited too long", tokio::spawn(creator.clone().answer_late())),
    ];
    tracing::info!(url = %app.base_url, %address, "listening");
    let serving = Server::new_with_acceptor(IdleAcceptor(acceptor))
        .http2_max_concurrent_streams(HTTP2_STREAMS)
        .run_with_graceful_shutdown(
            Front::new(app),
            stop,
            Some(Duration::from_secs(settings.shutdown_timeout.into())),
        );
    let served = tokio::select! {
        served = serving => served.map_err(ServeError::Io),
        // Without it every redirect would wait for ever, and there are no clicks left to store.
        _ = &mut recording => return Err(ServeError::BrokenOff("records clicks")),
        _ = &mut creating => Err(ServeError::BrokenOff("creates links")),
        what = first_to_end(&mut background) => Err(ServeError::BrokenOff(what)),
    };
    creator.close();
    let created = if creating.is_terminated() { Ok(()) } else { end(creating).await };
    let drained = drain(store, recorder, recording, background, spool).await;
    // Whatever broke off, clicks that were answered are stored.
    served.and(created).and(drained)
}

/// A task that goes on for as long as the server does, and what it does.
type Task = (&'static str, JoinHandle<()>);

/// What the task does that ends first.
async fn first_to_end(tasks: &mut [Task]) -> &'static str {
    let ended = tasks.iter_mut().map(|(what, task)| {
        Box::pin(async {
            let _ = task.await;
            *what
        })
    });
    select_all(ended).await.0
}

/// Waits for the last links.
async fn end(creating: oneshot::Receiver<()>) -> Result<(), ServeError> {
    match timeout(LAST_LINKS, creating).await {
        Ok(ended) => ended.map_err(|_| ServeError::BrokenOff("creates links")),
        Err(_) => {
            tracing::warn!(
                "the last new links are stuck in the database; stopping without waiting for them"
            );
            Ok(())
        }
    }
}

/// Links are made on a thread of their own, which may wait for the disk: none that answers requests is
/// kept by it, or woken for it. Ready when no more will be made.
fn create_links(creating: Creating) -> Result<oneshot::Receiver<()>, ServeError> {
    let (mut done, ended) = oneshot::channel();
    let runtime = Handle::current();
    let work = move || {
        runtime.block_on(async {
            tokio::select! {
                () = creating.run(UnwrapErr(SysRng)) => {}
                // The server has broken off, and the runtime with it.
                () = done.closed() => {}
            }
        });
        let _ = done.send(());
    };
    Builder::new().name("creates-links".to_owned()).spawn(work).map_err(ServeError::Thread)?;
    Ok(ended)
}

/// Where clicks go that cannot be stored at the end.
struct Spool {
    directory: PathBuf,
    /// The database that they belong to.
    installation: String,
}

/// Stores what has been counted, and leaves a database that needs no repair.
async fn drain(
    store: Store,
    recorder: Recorder,
    recording: JoinHandle<Vec<Batch>>,
    background: impl IntoIterator<Item = Task>,
    spool: Spool,
) -> Result<(), ServeError> {
    recorder.close();
    let left_over = recording.await.map_err(|_| ServeError::BrokenOff("records clicks"))?;
    for (_, task) in background {
        if !task.is_finished() {
            task.abort();
            // A statement of it that is under way is over then, or on a thread that keeps the turn to write
            // until it is.
            let _ = task.await;
        }
    }
    if !left_over.is_empty() {
        return keep(&left_over, &spool);
    }
    if let Err(error) = fold::fold_all(&store).await {
        tracing::warn!(%error, "clicks are stored but not added up; the next start does it");
    }
    store.close().await?;
    tracing::info!("stopped");
    Ok(())
}

/// Puts clicks into a file, for the next start to store.
fn keep(left_over: &[Batch], Spool { directory, installation }: &Spool) -> Result<(), ServeError> {
    let clicks = left_over.iter().flat_map(|batch| &batch.clicks).map(|clicks| clicks.count).sum();
    match spool::write(directory, installation, left_over) {
        Ok(file) => {
            let file = file.display();
            tracing::warn!(%file, clicks, "clicks could not be stored; the next start stores them");
            Ok(())
        }
        Err(error) => Err(ServeError::ClicksLost { clicks, directory: directory.clone(), error }),
    }
}
