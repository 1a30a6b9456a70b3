/** Ten recovery codes, which are shown this once. */
import { brand } from '#shared/brand.ts';
import { Button } from '../ui/button.tsx';
import styles from './console.module.css';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}

export function RecoveryCodes({ codes, onKept }: RecoveryCodesProps) {
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
    </>
  );
}
