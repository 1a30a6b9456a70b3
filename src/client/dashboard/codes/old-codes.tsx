/** The codes that lead nowhere any more, for whoever finds an old print and wonders. */
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { showQrCodeId } from '#shared/ids.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { Badge } from '../../ui/badge.tsx';
import { STATUS_LABELS } from './code-status.ts';
import styles from './old-codes.module.css';

export function OldCodes({ codes }: { readonly codes: readonly QrCode[] }) {
  return (
    <details className={styles.old}>
      <summary>Old codes ({codes.length})</summary>
      <p className={styles.note}>Nobody can tip by these any more. Take their prints down.</p>
      <ul>
        {/* The list has the oldest first. */}
        {codes.toReversed().map((code) => (
          <li key={code.id} className={styles.code}>
            <span>
              <span className={styles.id}>{showQrCodeId(code.id)}</span> ·{' '}
              {CATEGORY_LABELS[code.serviceCategory]}
            </span>
            <Badge>{STATUS_LABELS[code.status]}</Badge>
          </li>
        ))}
      </ul>
    </details>
  );
}
