//! Patterns of blocked destinations: the operator's own, and imported lists.

use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, ExprTrait,
    IntoActiveModel, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::entities::{block_list, block_list_part, block_pattern, event_change};
use super::error::StoreError;
use super::events::{ChangeKind, EventChangeRow};
use super::query::{MAX_READ, contains};
use crate::values::Timestamp;

pub use super::entities::block_list::Model as BlockListRow;
pub use super::entities::block_list_part::Model as BlockListPartRow;
pub use super::entities::block_pattern::Model as BlockPatternRow;

/// Maximum number of rows per statement.
const MAX_ROWS: usize = 1_000;

/// Returns the operator's own patterns that follow `after`, in the order of their bytes, at most
/// `limit`.
pub async fn own_patterns(
    db: &impl ConnectionTrait,
    after: &str,
    limit: u64,
) -> Result<Vec<BlockPatternRow>, StoreError> {
    let patterns = block_pattern::Entity::find().filter(block_pattern::Column::Pattern.gt(after));
    Ok(patterns.order_by_asc(block_pattern::Column::Pattern).limit(limit).all(db).await?)
}

/// Finds the change that stored one of the operator's own patterns, by its identifier.
pub async fn find_change(
    db: &impl ConnectionTrait,
    id: i64,
) -> Result<Option<EventChangeRow>, StoreError> {
    Ok(event_change::Entity::find_by_id(id).one(db).await?)
}

/// Returns the identifier of the change that stored one of the operator's own patterns.
pub async fn change_id(
    db: &impl ConnectionTrait,
    row: &BlockPatternRow,
) -> Result<i64, StoreError> {
    let change = event_change::Entity::find()
        .filter(event_change::Column::Kind.eq(ChangeKind::Block.into_str()))
        .filter(event_change::Column::Subject.eq(&row.pattern))
        .filter(event_change::Column::EventId.eq(row.event_id));
    let missing = || DbErr::RecordNotFound(format!("change of the pattern {}", row.pattern));
    Ok(change.one(db).await?.ok_or_else(missing)?.id)
}

/// Returns at most `limit` of the operator's own patterns that are in force and contain a text, newest
/// first: those after the event and the pattern `after`, or the first ones. Returns also the last row that
/// it read if others may follow; with a text it reads at most [`MAX_READ`].
pub async fn own_in_force(
    db: &impl ConnectionTrait,
    text: Option<&str>,
    now: Timestamp,
    after: Option<(i64, &str)>,
    limit: u64,
) -> Result<(Vec<BlockPatternRow>, Option<BlockPatternRow>), StoreError> {
    use block_pattern::Column;

    let follows = after.map(|(event_id, pattern)| {
        let in_event = Column::EventId.eq(event_id).and(Column::Pattern.gt(pattern));
        Column::EventId.lt(event_id).or(in_event)
    });
    let patterns = block_pattern::Entity::find().filter(Condition::all().add_option(follows));
    let patterns = patterns.order_by_desc(Column::EventId).order_by_asc(Column::Pattern);
    let last_read = match text {
        Some(_) => patterns.clone().offset(u64::from(MAX_READ) - 1).limit(1).one(db).await?,
        None => None,
    };
    let is_read = last_read.as_ref().map(|last| {
        let in_event = Column::EventId.eq(last.event_id).and(Column::Pattern.lte(&last.pattern));
        Column::EventId.gt(last.event_id).or(in_event)
    });
    let in_force = Column::Until.is_null().or(Column::Until.gt(now));
    let has_text = text.map(|text| contains(Column::Pattern, text));
    let conditions = Condition::all().add(in_force).add_option(is_read).add_option(has_text);
    Ok((patterns.filter(conditions).limit(limit).all(db).await?, last_read))
}

/// Returns the rows of the operator's own patterns that are in `patterns`.
pub async fn find_own(
    db: &impl ConnectionTrait,
    patterns: &[String],
) -> Result<Vec<BlockPatternRow>, StoreError> {
    let mut found = Vec::new();
    for part in patterns.chunks(MAX_ROWS) {
        let part = block_pattern::Column::Pattern.is_in(part);
        found.extend(block_pattern::Entity::find().filter(part).all(db).await?);
    }
    Ok(found)
}

/// Inserts patterns of the operator's own, and replaces the rows of patterns that already exist.
pub async fn put_own(
    db: &impl ConnectionTrait,
    rows: Vec<BlockPatternRow>,
) -> Result<(), StoreError> {
    use block_pattern::Column;

    let replace = OnConflict::column(Column::Pattern)
        .update_columns([Column::Action, Column::Reason, Column::Until, Column::EventId])
        .to_owned();
    for part in rows.chunks(MAX_ROWS) {
        let part = part.iter().cloned().map(|row| row.into_active_model().reset_all());
        block_pattern::Entity::insert_many(part)
            .on_conflict(replace.clone())
            .exec_without_returning(db)
            .await?;
    }
    Ok(())
}

/// Deletes these patterns from the operator's own.
pub async fn delete_own(db: &impl ConnectionTrait, patterns: &[String]) -> Result<(), StoreError> {
    for part in patterns.chunks(MAX_ROWS) {
        let part = block_pattern::Column::Pattern.is_in(part);
        block_pattern::Entity::delete_many().filter(part).exec(db).await?;
    }
    Ok(())
}

/// Returns the imported lists that are in force, by source.
pub async fn lists(db: &impl ConnectionTrait) -> Result<Vec<BlockListRow>, StoreError> {
    let lists = block_list::Entity::find().order_by_asc(block_list::Column::Source);
    Ok(lists.all(db).await?)
}

/// Returns the imported list of a source, or `None` if the source has none.
pub async fn list(
    db: &impl ConnectionTrait,
    source: &str,
) -> Result<Option<BlockListRow>, StoreError> {
    Ok(block_list::Entity::find_by_id(source).one(db).await?)
}

/// Inserts an imported list, or replaces the list of the same source.
pub async fn put_list(db: &impl ConnectionTrait, row: BlockListRow) -> Result<(), StoreError> {
    use block_list::Column;

    let replace = OnConflict::column(Column::Source)
        .update_columns([Column::ImportId, Column::Reason, Column::Patterns, Column::EventId])
        .to_owned();
    block_list::Entity::insert(row.into_active_model().reset_all())
        .on_conflict(replace)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Deletes the imported list of a source, but not its parts.
pub async fn delete_list(db: &impl ConnectionTrait, source: &str) -> Result<(), StoreError> {
    block_list::Entity::delete_by_id(source).exec(db).await?;
    Ok(())
}

/// Returns at most `limit` parts of an import, beginning with the part number `first`.
pub async fn parts(
    db: &impl ConnectionTrait,
    import_id: i64,
    first: i32,
    limit: u64,
) -> Result<Vec<BlockListPartRow>, StoreError> {
    use block_list_part::Column;

    let parts = block_list_part::Entity::find()
        .filter(Column::ImportId.eq(import_id))
        .filter(Column::Part.gte(first));
    Ok(parts.order_by_asc(Column::Part).limit(limit).all(db).await?)
}

/// Counts the parts of an import.
pub async fn count_parts(db: &impl ConnectionTrait, import_id: i64) -> Result<u64, StoreError> {
    let parts = block_list_part::Entity::find();
    Ok(parts.filter(block_list_part::Column::ImportId.eq(import_id)).count(db).await?)
}

/// Inserts parts of imports.
pub async fn insert_parts(
    db: &impl ConnectionTrait,
    parts: Vec<BlockListPartRow>,
) -> Result<(), StoreError> {
    let parts = parts.into_iter().map(|part| part.into_active_model().reset_all());
    block_list_part::Entity::insert_many(parts).exec_without_returning(db).await?;
    Ok(())
}

/// Deletes up to `limit` parts of an import. Returns true if it deleted `limit` parts, because more
/// may then remain.
pub async fn delete_parts(
    db: &impl ConnectionTrait,
    import_id: i64,
    limit: u64,
) -> Result<bool, StoreError> {
    use block_list_part::Column;

    let first: Vec<i32> = block_list_part::Entity::find()
        .select_only()
        .column(Column::Part)
        .filter(Column::ImportId.eq(import_id))
        .order_by_asc(Column::Part)
        .limit(limit)
        .into_tuple()
        .all(db)
        .await?;
    let Some(last) = first.last() else { return Ok(false) };
    block_list_part::Entity::delete_many()
        .filter(Column::ImportId.eq(import_id))
        .filter(Column::Part.lte(*last))
        .exec(db)
        .await?;
    Ok(first.len() as u64 == limit)
}

/// Returns the identifiers below `before` of imports whose parts are stored but not in force.
pub async fn abandoned_imports(
    db: &impl ConnectionTrait,
    before: i64,
) -> Result<Vec<i64>, StoreError> {
    use block_list_part::Column;

    let in_force: Vec<i64> = lists(db).await?.iter().map(|list| list.import_id).collect();
    let imports = block_list_part::Entity::find()
        .select_only()
        .column(Column::ImportId)
        .distinct()
        .filter(Column::ImportId.lt(before))
        .filter(Column::ImportId.is_not_in(in_force));
    Ok(imports.into_tuple().all(db).await?)
}
