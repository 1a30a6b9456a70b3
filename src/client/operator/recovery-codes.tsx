/** Ten recovery codes, which are shown this once. */
import { brand } from '#shared/brand.ts';
import { Button } from '../ui/button.tsx';
import { LeaveQuestion, type Unsaved } from '../ui/later/unsaved.tsx';
import styles from './console.module.css';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  /** Asked about until the codes are kept. */
  readonly leaving: Unsaved;
  readonly onKept: () => void;
}

export function RecoveryCodes({ codes, leaving, onKept }: RecoveryCodesProps) {
  const text = codes.join('\n');
  return (
    <>
      <p>
        Each of these codes works once in place of the app. They are shown only now: keep them off this
        device.
      </p>
      <ol className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <a
        className={styles.download}
        href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
        download={`${brand.name.toLowerCase().replace(/\W+/g, '-')}-recovery-codes.txt`}
      >
        Download the codes
      </a>
      <Button onClick={onKept}>I Have Kept Them</Button>
      <LeaveQuestion unsaved={leaving} instead={{ title: 'Leave without your codes?', stay: 'Show Codes' }}>
        <p>You won’t see these codes again.</p>
      </LeaveQuestion>
    </>
  );
}
