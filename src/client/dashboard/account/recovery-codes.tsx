/** Recovery codes, shown once: to be copied, saved or printed. */
import { useState } from 'react';
import type { User } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { failureOf } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { saveFile } from '../../signed-in/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { Dialog } from '../../ui/later/dialog.tsx';
import { LeaveQuestion, type Unsaved, useUnsaved } from '../../ui/later/unsaved.tsx';
import styles from './account-care.module.css';
import sheet from './recovery-codes.module.css';

/** After a factor of which no answer says whether it was added, and which may have brought codes that nobody saw. */
export const LOOK_AT_LIST =
  'Close this and look at your list. If it is there, and you have no recovery codes yet, make new ones.';
const NO_ANSWER = 'There was no answer. Your old codes may no longer work: make new ones again.';

interface RecoveryCodesProps {
  readonly user: User;
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

export function RecoveryCodes({ user, codes, onClose }: RecoveryCodesProps) {
  /** What became of copying them. A toast would stand behind a dialog that fills a phone. */
  const [said, setSaid] = useState<string>();
  const [isSaved, setSaved] = useState(false);
  const leaving = useUnsaved(!isSaved, onClose);
  const whose = `Recovery codes for ${brand.name}\n${user.email}`;
  const text = `${whose}\n\n${codes.join('\n')}\n`;

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Recovery codes copied.');
      setSaved(true);
    } catch {
      setSaid('The codes could not be copied. Download or print them.');
    }
  }

  function download() {
    saveFile(new TextEncoder().encode(text), 'text/plain', `${brand.linkScheme}-recovery-codes.txt`);
    setSaved(true);
  }

  return (
    <Dialog title="Save your recovery codes" size="column" onClose={() => leaving.close()}>
      <div className={styles.part}>
        <p>
          If you lose your phone, a recovery code logs you in together with your password. Each works once.
          You won’t see them again: keep them somewhere safe.
        </p>
        <p className={sheet.onPaper}>{whose}</p>
        <ul className={sheet.codes} aria-label="Your recovery codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <div className={styles.actions}>
          <Button onClick={download}>Download</Button>
          <Button look="quiet" onClick={() => void copy()}>
            Copy
          </Button>
          <Button look="quiet" onClick={() => window.print()}>
            Print
          </Button>
          <Button look="quiet" onClick={onClose}>
            I Saved Them
          </Button>
        </div>
        <p role="status">{said}</p>
      </div>
      <LeaveQuestion unsaved={leaving} instead={{ title: 'Leave without your codes?', stay: 'Show Codes' }}>
        <p>You won’t see these codes again.</p>
      </LeaveQuestion>
    </Dialog>
  );
}

/** Asks before somebody leaves an answer that is on its way, and may bring recovery codes. */
export function WaitQuestion({ unsaved }: { readonly unsaved: Unsaved }) {
  return (
    <LeaveQuestion unsaved={unsaved} instead={{ title: 'Leave before the answer?', stay: 'Wait' }}>
      <p>It may bring your recovery codes, which are shown once.</p>
    </LeaveQuestion>
  );
}

/** Asks first, because the codes before stop working. */
export function NewRecoveryCodes({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [failure, setFailure] = useState<string>();
  const { isUnderWay, run } = useAttempts();
  const { client } = trpc.useUtils();
  const unsaved = useUnsaved(isUnderWay && codes === null, onClose);

  async function renew() {
    setFailure(undefined);
    try {
      const { recoveryCodes } = await withPassword(() => client.secondFactors.renewRecoveryCodes.mutate());
      unsaved.finish(() => setCodes(recoveryCodes));
    } catch (error) {
      setFailure(failureOf(error).detail ?? NO_ANSWER);
    }
  }

  if (codes) return <RecoveryCodes user={user} codes={codes} onClose={onClose} />;
  return (
    <Confirmation
      title="Make new recovery codes?"
      confirm={isUnderWay ? 'One moment...' : 'Make New Codes'}
      isUnderWay={isUnderWay}
      onConfirm={() => void run(renew)}
      onCancel={onClose}
    >
      <p>The codes you have now stop working.</p>
      <p role="alert" className={styles.failure}>
        {failure}
      </p>
      <WaitQuestion unsaved={unsaved} />
    </Confirmation>
  );
}
