// Blocks: patterns of destinations that are blocked, and exceptions.

import { useContext, useState } from 'preact/hooks';
import { useIdempotency, useList } from '../shared/action';
import { useFilters, useForm } from '../shared/forms';
import { fromLocalInput } from '../shared/format';
import { Badge, Fields, Form, More, Problem, Say, Submit, Table, Text, Time, Title } from '../shared/parts';
import { operatorTexts as texts } from '../shared/texts';
import type { Block, BlockCreate } from './api';
import { Ask, useAudit } from './audit';
import { useSession } from './session';

const filters = { q: texts.searchPatterns, source: texts.source };

export function Blocks() {
  const { api, may } = useSession();
  const { wanted, field } = useFilters('blocks', filters);
  const list = useList<Block>((signal) => api.blocks.list({
    limit: 50,
    ...(wanted.q && { q: wanted.q }),
    ...(wanted.source && { source: wanted.source }),
  }, { signal }), [JSON.stringify(wanted)]);
  const [removed, setRemoved] = useState<Block>();
  return (
    <>
      <Title text={texts.blocks} />
      {may('createBlocks') && <Create onCreated={list.reload} />}
      <Check />
      <Fields failure={list.failure}>
        <section class="card">
          <h2>{texts.patterns}</h2>
          <form role="search" onSubmit={(event) => event.preventDefault()}>
            <div class="line">
              {field('q', { type: 'search' })}
              {field('source')}
            </div>
          </form>
          {list.items.length === 0 && !list.isLoading && !list.failure && <p class="faint">{texts.noBlocks}</p>}
          {list.items.length > 0 && (
            <Table label={texts.patterns} items={list.items} keyOf={(one) => `${one.source} ${one.pattern}`} columns={[
              [texts.pattern, (one) => <Text>{one.pattern}</Text>],
              [texts.rule, (one) => <Badge kind={one.action === 'block' ? 'blocked' : 'active'}>{texts.rules[one.action]}</Badge>],
              [texts.reason, (one) => texts.reasons[one.reason]],
              [texts.source, (one) => (one.source === null ? '' : <Text>{one.source}</Text>)],
              [texts.expires, (one) => (one.expires_at ? <Time at={one.expires_at} /> : <span class="faint">{texts.never}</span>)],
              ['', (one) => may('deleteBlock') && one.source === null && one.created_at && (
                <button class="quiet" aria-label={texts.removeOf(one.pattern)} onClick={() => setRemoved(one)}>{texts.remove}</button>
              )],
            ]} />
          )}
          <More list={list} />
        </section>
      </Fields>
      {removed && (
        <Ask title={texts.removeOf(removed.pattern)} text={texts.removeBlockText} label={texts.remove} isDangerous onClose={() => setRemoved(undefined)}
          done={texts.removed(removed.pattern)} work={async (audit) => {
            await api.blocks.delete({ pattern: removed.pattern, ...audit });
            list.change((items) => items.filter((one) => one !== removed));
          }} />
      )}
    </>
  );
}

const empty = { pattern: '', action: 'block', expires_at: '' };
const labels = { pattern: texts.pattern, action: texts.rule, expires_at: texts.until };

function Create({ onCreated }: { onCreated: () => void }) {
  const { api } = useSession();
  const say = useContext(Say);
  const { typed, replace, action, field } = useForm(empty, labels);
  const { audit, fields } = useAudit();
  const once = useIdempotency();
  const create = async () => {
    const body: BlockCreate = {
      patterns: typed.pattern.split(/[\s,]+/).filter(Boolean), action: typed.action as Block['action'], reason: audit.reason, audit,
      ...(typed.expires_at && { expires_at: fromLocalInput(typed.expires_at) }),
    };
    const { changed } = await api.blocks.create(body, { idempotencyKey: once.keyOf(body) });
    once.renew();
    replace(typed);
    say(texts.changedThings(changed));
    onCreated();
  };
  return (
    <section class="card">
      <h2>{texts.newBlock}</h2>
      <Form action={action} onSubmit={create} label={texts.newBlock}>
        <div class="grid">
          {field('pattern', { hint: texts.patternHint, members: ['patterns'] })}
          {field('action', { options: [['block', texts.rules.block], ['allow', texts.rules.allow]] })}
          {field('expires_at', { type: 'datetime-local', hint: texts.localTime })}
        </div>
        {fields}
        <Problem failure={action.failure} />
        <div class="buttons"><Submit action={action}>{texts.save}</Submit></div>
      </Form>
    </section>
  );
}

function Check() {
  const { api } = useSession();
  const { typed, action, field } = useForm({ url: '' }, { url: texts.checkLabel }, { isSaved: false });
  const [found, setFound] = useState<string>();
  const check = async () => {
    const { is_blocked, pattern, reason } = await api.blocks.check({ url: typed.url.trim() });
    setFound(texts.checkedBlock(is_blocked, pattern, reason && texts.reasons[reason]));
  };
  return (
    <section class="card">
      <Form action={action} onSubmit={check} label={texts.checkLabel}>
        <div class="line">{field('url')}<Submit action={action} kind="">{texts.check}</Submit></div>
        <Problem failure={action.failure} />
        {found && <p role="status"><Text>{found}</Text></p>}
      </Form>
    </section>
  );
}
