/** What an operator can do for or against somebody. Each act asks why, and most of them for the second factor. */
import { type ReactNode, useState } from 'react';
import type { ExportPiece, ExportStart } from '#shared/account-export.ts';
import type { Person } from '#shared/console/people.ts';
import { bytesFrom, saveFile } from '../../signed-in/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { consoleApi } from '../console-api.ts';
import { counted } from '../quantities.ts';
import styles from './people.module.css';

interface Asked {
  readonly id: string;
  readonly reason: string;
}

/** What an act brings: a sentence, or a link that is shown once. */
export type Done = string | { readonly link: string };

interface PersonAct {
  readonly label: string;
  readonly title: string;
  readonly what: ReactNode;
  readonly act: (asked: Asked) => Promise<Done>;
}

const { people } = consoleApi;

const SUSPEND: PersonAct = {
  label: 'Suspend',
  title: 'Suspend this account?',
  what: 'It can give and get no tips from now on, its codes look paused, and its API keys do nothing. Its owner can still log in, and reads your reason there.',
  act: async (asked) =>
    (await people.suspend.mutate(asked)).outcome === 'suspended'
      ? 'The account is suspended.'
      : 'The account was suspended already. The reason from before stays.',
};

const LIFT: PersonAct = {
  label: 'Lift Suspension',
  title: 'Let this account give and get tips again?',
  what: 'Its codes take tips again. Its owner reads your reason.',
  act: async (asked) =>
    (await people.lift.mutate(asked)).outcome === 'lifted'
      ? 'The account works again.'
      : 'The account was not suspended.',
};

const OTHERS: readonly PersonAct[] = [
  {
    label: 'Send Password Link',
    title: 'Make a link for a new password?',
    what: 'Make sure by other means that you know who is asking. Where this site sends email, the link goes to the email of the account. Otherwise you see it once, and hand it over.',
    async act(asked) {
      const sent = await people.sendLink.mutate(asked);
      return sent.by === 'mail' ? 'The link is on its way to the email of the account.' : { link: sent.url };
    },
  },
  {
    label: 'Unlock Login',
    title: 'Forget the failed logins?',
    what: 'Whoever was locked out by wrong passwords can try again at once.',
    act: async (asked) =>
      (await people.unlock.mutate(asked)).wasLocked
        ? 'The failed logins are forgotten.'
        : 'There were no failed logins.',
  },
  {
    label: 'Log Out Everywhere',
    title: 'Log this person out everywhere?',
    what: 'The password stays the same.',
    act: async (asked) => `${counted((await people.endSessions.mutate(asked)).count, 'session')} ended.`,
  },
  {
    label: 'End API Keys',
    title: 'End all API keys of this account?',
    what: 'Programs that use them stop working.',
    act: async (asked) => `${counted((await people.endKeys.mutate(asked)).count, 'API key')} ended.`,
  },
  {
    label: 'Remove Factors',
    title: 'Remove the passkeys and the authenticator app?',
    what: 'Make sure by other means that you know who is asking. The password alone lets this person in then.',
    act: async (asked) =>
      (await people.removeFactors.mutate(asked)).hadFactors
        ? 'The second factors are removed.'
        : 'There were no second factors.',
  },
  {
    label: 'Export Data',
    title: 'Export everything about this person?',
    what: 'You get the archive that this person can download: profile, tips, messages they wrote, codes. Hand it over by a way that nobody else reads, and delete it afterwards.',
    async act(asked) {
      await saveExport(await people.export.mutate(asked));
      return 'The archive was saved.';
    },
  },
];

const CLOSE: PersonAct = {
  label: 'Close Account',
  title: 'Close this account for good?',
  what: 'Its names, email, codes and password are erased, and nobody can take that back. The ledger keeps its numbers. Somebody who should stay out is suspended instead: after closing, the email can register again.',
  async act(asked) {
    await people.close.mutate(asked);
    return 'The account is closed. Backups from before still hold its data.';
  },
};

/** Saves an archive once all of its pieces have come. @throws the refusal that ends it. */
async function saveExport(pieces: AsyncIterable<ExportStart | ExportPiece>): Promise<void> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let name = '';
  for await (const piece of pieces) {
    if ('fileName' in piece) name = piece.fileName;
    else parts.push(bytesFrom(piece.base64));
  }
  saveFile(new Uint8Array(await new Blob(parts).arrayBuffer()), 'application/zip', name);
}

export function PersonActs({
  person,
  onDone,
}: {
  readonly person: Person;
  readonly onDone: (done: Done) => void;
}) {
  const [asked, setAsked] = useState<PersonAct | null>(null);
  const { id, fullName } = person;
  const acts = [...OTHERS, person.suspension === null ? SUSPEND : LIFT, CLOSE];
  return (
    <div className={styles.acts}>
      {acts.map((each) => (
        <Button key={each.label} look="quiet" onClick={() => setAsked(each)}>
          {each.label}
        </Button>
      ))}
      {asked && (
        <ActDialog
          title={asked.title}
          confirm={asked.label}
          act={(reason) => asked.act({ id, reason })}
          onDone={(done) => {
            setAsked(null);
            onDone(done);
          }}
          onClose={() => setAsked(null)}
        >
          <p>
            <strong>
              <bdi>{fullName}</bdi>
            </strong>
          </p>
          <p>{asked.what}</p>
        </ActDialog>
      )}
    </div>
  );
}
