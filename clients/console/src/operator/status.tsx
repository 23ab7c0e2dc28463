// Status: whether all is well, followed as long as the page is visible.

import { useEffect } from 'preact/hooks';
import { useLoaded } from '../shared/action';
import { number, size, time } from '../shared/format';
import { Shown, Title } from '../shared/parts';
import { operatorTexts as texts } from '../shared/texts';
import { useSession } from './session';

/** Milliseconds between two readings. */
const interval = 5000;

export function Status() {
  const { api } = useSession();
  const status = useLoaded((signal) => api.status.get({ signal }), []);
  const { isLoading, failure, reload, set } = status;
  useEffect(() => {
    if (isLoading) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'hidden') return;
      // What failed stays on the screen until the server responds.
      if (failure) api.status.get().then(set, () => undefined);
      else reload();
    }, interval);
    return () => clearInterval(timer);
  }, [isLoading, failure]);
  const figure = (label: string, value: string, hint?: string) => (
    <div>
      <dt>{label}</dt>
      <dd><strong>{value}</strong>{hint && <p class="hint">{hint}</p>}</dd>
    </div>
  );
  return (
    <>
      <Title text={texts.status} />
      {/* What was well before a failure may be no longer. */}
      <Shown of={failure ? { ...status, data: undefined } : status}>
        {({ database, server, warnings, ...shown }) => (
          <>
            <div role="status" class={`notice ${warnings.length > 0 ? 'bad' : 'good'}`}>
              {warnings.length === 0 && <p>{texts.allIsWell}</p>}
              {warnings.length === 0 && database.kind === 'sqlite' && !shown.last_backup_at && <p>{texts.noBackupHint}</p>}
              {warnings.map(({ code, detail }) => <p key={code}>{detail}</p>)}
            </div>
            <section class="card">
              <h2>{texts.todayUtc}</h2>
              <dl class="meters">
                {figure(texts.redirects, number(shown.clicks_today))}
                {figure(texts.linksCreated, number(shown.links_today))}
                {server && figure(texts.failedRequests, number(server.failed_requests), texts.sinceStart(time(server.started_at)))}
                {figure(texts.clicksWait, shown.are_clicks_waiting ? texts.yes : texts.no)}
              </dl>
            </section>
            <section class="card">
              <h2>{texts.service}</h2>
              <dl class="meters">
                {figure(texts.links, number(shown.links))}
                {figure(texts.customers, number(shown.owners))}
                {figure(texts.servers, number(shown.instances))}
                {figure(texts.version, shown.version, texts.schema(shown.schema))}
              </dl>
            </section>
            <section class="card">
              <h2>{texts.database(database.kind)}</h2>
              <dl class="meters">
                {figure(texts.size, size(database.size_bytes))}
                {database.free_bytes !== null && figure(texts.free, size(database.free_bytes))}
                {database.kind === 'sqlite' && figure(texts.lastBackup, shown.last_backup_at ? time(shown.last_backup_at) : texts.noBackup)}
              </dl>
            </section>
          </>
        )}
      </Shown>
    </>
  );
}
