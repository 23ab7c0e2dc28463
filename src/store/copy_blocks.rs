//! Copies the patterns of blocked destinations.

use sea_orm::{ConnectionTrait, EntityTrait};

use super::blocks;
use super::entities::{block_list, block_list_part, block_pattern};
use super::error::StoreError;

/// Number of the operator's own patterns per statement.
const PAGE_PATTERNS: u64 = 1_000;
/// Number of parts of imported lists per statement.
const PAGE_PARTS: u64 = 16;

/// Replaces the patterns of blocked destinations in the target by the patterns of the source. It
/// does not copy parts of imports that are not in force.
pub(super) async fn copy_blocks(
    source: &impl ConnectionTrait,
    target: &impl ConnectionTrait,
) -> Result<(), StoreError> {
    block_pattern::Entity::delete_many().exec(target).await?;
    block_list::Entity::delete_many().exec(target).await?;
    block_list_part::Entity::delete_many().exec(target).await?;
    let mut last = String::new();
    loop {
        let page = blocks::own_patterns(source, &last, PAGE_PATTERNS).await?;
        let Some(newest) = page.last() else { break };
        last.clone_from(&newest.pattern);
        blocks::put_own(target, page).await?;
    }
    for list in blocks::lists(source).await? {
        let (import_id, mut next) = (list.import_id, 0);
        blocks::put_list(target, list).await?;
        loop {
            let parts = blocks::parts(source, import_id, next, PAGE_PARTS).await?;
            let Some(newest) = parts.last() else { break };
            next = newest.part + 1;
            blocks::insert_parts(target, parts).await?;
        }
    }
    Ok(())
}
