//! Changes that may take long, which do not depend on the connection.

use poem_openapi::ApiResponse;
use poem_openapi::types::{ToHeader, Type};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::domain::Error;
use crate::domain::changes::{self, Awaited, Change, ChangeExtent, Changed};
use crate::http::prelude::*;
use crate::http::state::LongChanges;
use crate::store::events::EventStatus;

path_location!(EventLocation, "/api/operator/v1/events/31");
path_location!(OwnEventLocation, "/api/manage/v1/events/31");

/// `Location` of the event of a change that goes on.
pub trait LocationOfEvent: From<String> + ToHeader + Type + Send {
    /// Path of the events.
    const EVENTS: &'static str;

    /// Returns the address of the event if the change goes on.
    fn from_change(changed: &Changed<ChangeExtent>) -> Option<Self> {
        let running = changed.event.filter(|_| changed.value.status == EventStatus::Running);
        running.map(|id| format!("{}/{id}", Self::EVENTS).into())
    }
}

impl LocationOfEvent for EventLocation {
    const EVENTS: &'static str = "/api/operator/v1/events";
}

impl LocationOfEvent for OwnEventLocation {
    const EVENTS: &'static str = "/api/manage/v1/events";
}

/// Response to a request that makes a long change.
#[derive(Debug, ApiResponse)]
pub enum LongChangeResponse<T: Type, L: LocationOfEvent> {
    /// The change has ended.
    #[oai(status = 200)]
    Ok(Json<T>, #[oai(header = "Idempotent-Replayed")] Option<Replayed>),
    /// The change goes on.
    #[oai(status = 202)]
    Accepted(
        Json<T>,
        #[oai(header = "Location")] L,
        #[oai(header = "Idempotent-Replayed")] Option<Replayed>,
    ),
}

impl<T: Type + Serialize, L: LocationOfEvent> LongChangeResponse<T, L> {
    /// Creates the response that describes how far a change has come.
    pub fn new(changed: &Changed<ChangeExtent>, object: T) -> Self {
        let replayed = Replayed::from_flag(changed.is_replay);
        match L::from_change(changed) {
            Some(location) => Self::Accepted(Json::new(&object), location, replayed),
            None => Self::Ok(Json::new(&object), replayed),
        }
    }
}

/// Runs a change in a task of its own, and returns how far it has come when it ends, or after 20 seconds.
///
/// # Errors
/// The error of the change.
pub async fn run<F>(
    app: &AppState,
    mut change: Change,
    work: impl FnOnce(Change) -> F,
) -> Result<Changed<ChangeExtent>, Error>
where
    F: Future<Output = Result<Changed<ChangeExtent>, Error>> + Send + 'static,
{
    let LongChanges { wait, stop, running } = &app.long_changes;
    let (event, mut recorded) = watch::channel(None);
    let deadline = Instant::now() + *wait;
    change.stop = stop.child_token();
    change.awaited = Some(Awaited { deadline, event });
    let (stopping, running) = (change.stop.clone(), running.subscribe());
    let work = work(change);
    let mut task = tokio::spawn(async move {
        let result = work.await;
        drop(running);
        result
    });
    let late = async {
        sleep_until(deadline).await;
        let event = recorded.wait_for(Option::is_some).await.ok().and_then(|event| *event);
        match event {
            Some(event) => event,
            // It ends without an event.
            None => std::future::pending().await,
        }
    };
    let result = tokio::select! {
        result = &mut task => result,
        event = late => {
            tokio::spawn(async move {
                if let Ok(Err(error)) = task.await {
                    tracing::warn!(%error, event, "a change stopped");
                }
            });
            return changes::extent(&app.store, event).await;
        }
    };
    match result {
        // The client stopped it, or another one did.
        Ok(Err(Error::Incomplete { event: Some(event), cause: None, .. }))
            if !stopping.is_cancelled() =>
        {
            changes::extent(&app.store, event).await
        }
        Ok(result) => result,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
