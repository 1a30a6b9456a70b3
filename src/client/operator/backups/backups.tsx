/** The backups of this process: why the last one failed, one made now, the last ones, and the note of the past. */
import { useState } from 'react';
import type { BackupFailureShown, BackupShown, Backups as BackupsShown } from '#shared/console/backups.ts';
import { toastMessage } from '../../toasts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { consoleApi, consoleHooks, UNATTENDED } from '../console-api.ts';
import { CopyButton } from '../copy-button.tsx';
import { Loaded } from '../loaded.tsx';
import { formatBytes, formatCount } from '../quantities.ts';
import { When } from '../when.tsx';
import styles from './backups.module.css';

const WATCHED_EVERY_MS = 1_000;
const REFRESHED_EVERY_MS = 15_000;

export function Backups() {
  const query = consoleHooks.backups.read.useQuery(undefined, {
    refetchInterval: ({ state }) => (state.data?.begunAt ? WATCHED_EVERY_MS : REFRESHED_EVERY_MS),
    trpc: { context: UNATTENDED },
  });
  return (
    <Loaded query={query} title="The backups could not be loaded">
      {(backups) =>
        backups.folder === null ? <NotMade engine={backups.engine} /> : <Made backups={backups} />
      }
    </Loaded>
  );
}

interface Part {
  readonly backups: BackupsShown;
}

function Made({ backups }: Part) {
  const { failure, unreadable, kept } = backups;
  const noted = kept.find(({ past, isOther }) => past !== null && !isOther)?.past ?? null;
  return (
    <div className={styles.backups}>
      {failure && <Failure failure={failure} />}
      {failure === null && unreadable !== null && (
        <section className={styles.failure}>
          <h2>The folder of the backups cannot be read.</h2>
          <p>
            See whether its disk is mounted. It said: <code>{unreadable}</code>
          </p>
        </section>
      )}
      <Making backups={backups} />
      {kept.length > 0 && <Kept backups={backups} />}
      {noted !== null && <Noted past={noted} />}
    </div>
  );
}

function NotMade({ engine }: Pick<BackupsShown, 'engine'>) {
  return (
    <div className={styles.backups}>
      <p className={styles.text}>
        <strong>This process makes no backups.</strong>
      </p>
      {engine === 'SQLite' ? (
        <p className={styles.text}>
          Set <code>BACKUP_FOLDER</code> to a folder on another disk and start the server again: it then makes
          one a day. Until then, <code>npm run db:backup -- FILE</code> on the machine makes one by hand.
        </p>
      ) : (
        <p className={styles.text}>
          With PostgreSQL, one process has <code>BACKUP_FOLDER</code> and makes one a day, or{' '}
          <code>npm run db:keep-backups</code> does, or the database itself is backed up. This page shows them
          only in the process that makes them. <code>npm run db:backup -- FILE</code> makes one by hand.
        </p>
      )}
    </div>
  );
}

function Failure({ failure: { at, text, action, said } }: { readonly failure: BackupFailureShown }) {
  return (
    <section className={styles.failure} role="alert">
      <h2>{text}</h2>
      <p>
        Last tried: <When at={at} />
      </p>
      <p>{action}</p>
      <p className={styles.soft}>
        What was said: <code className={styles.said}>{said}</code>
      </p>
    </section>
  );
}

function Making({ backups: { begunAt, kept } }: Part) {
  const [isAsking, setAsking] = useState(false);
  const newest = kept.find(({ isOther }) => !isOther);
  return (
    <div className={styles.making}>
      <p role="status" className={styles.text}>
        {begunAt !== null ? (
          <>
            A backup is being made since <When at={begunAt} />. You can leave this page.
          </>
        ) : newest ? (
          <>
            The newest backup is from <When at={newest.madeAt} />. One is made every day.
          </>
        ) : (
          'There is no backup yet. One is made every day.'
        )}
      </p>
      <Button aria-disabled={begunAt !== null} onClick={() => begunAt === null && setAsking(true)}>
        Make a Backup Now
      </Button>
      {isAsking && (
        <ActDialog
          title="Make a backup now?"
          confirm="Make a Backup"
          act={(reason) => consoleApi.backups.make.mutate({ reason })}
          onDone={({ outcome }) => {
            setAsking(false);
            if (outcome === 'busy') toastMessage('A backup is being made already.');
          }}
          onClose={() => setAsking(false)}
        >
          <p>The server goes on meanwhile. The backup is checked before it counts.</p>
        </ActDialog>
      )}
    </div>
  );
}

function Kept({ backups: { kept, folder } }: Part) {
  return (
    <section className={styles.section} aria-labelledby="kept-backups">
      <h2 id="kept-backups">Last backups</h2>
      <p className={styles.soft}>
        In <code className={styles.said}>{folder}</code>, on the machine of this process.
      </p>
      <ul className={styles.rows}>
        {kept.map((backup) => (
          <Row key={backup.name} backup={backup} />
        ))}
      </ul>
    </section>
  );
}

function Row({ backup: { name, bytes, madeAt, past, tips, isOther } }: { readonly backup: BackupShown }) {
  return (
    <li className={styles.row}>
      <span className={styles.name}>{name}</span>
      <When at={madeAt} />
      <span>{formatBytes(bytes)}</span>
      <span>{tips === null ? 'tips unknown' : `${formatCount(tips)} ${tips === 1 ? 'tip' : 'tips'}`}</span>
      <span>{isOther ? <Badge>Another database</Badge> : past === null ? 'Not checked' : 'Checked'}</span>
    </li>
  );
}

function Noted({ past }: { readonly past: string }) {
  return (
    <section className={styles.section} aria-labelledby="noted-past">
      <h2 id="noted-past">Note the past</h2>
      <p className={styles.text}>
        Copy the newest file to another machine, and keep this line somewhere else again, such as in a mail to
        yourself:
      </p>
      <CopyButton text={past} what="note" />
      <p className={styles.text}>
        Later, <code>npm run db:check -- --digest LINE</code> says whether the tips up to this one are still
        what they were.
      </p>
    </section>
  );
}
