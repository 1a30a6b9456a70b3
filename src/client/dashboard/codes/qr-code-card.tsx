/** One code with its picture, its printed id and what can be done with it. */
import { Download, Printer } from 'lucide-react';
import { useId } from 'react';
import { Link } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { showQrCodeId } from '#shared/ids.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { paths } from '../../paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { OwnMachineNote } from './own-machine-note.tsx';
import styles from './qr-code-card.module.css';
import { downloadPicture, pictureUrl } from './qr-code-picture.ts';

interface QrCodeCardProps {
  readonly code: QrCode;
  readonly user: User;
  readonly onPrint: () => void;
}

export function QrCodeCard({ code, user, onPrint }: QrCodeCardProps) {
  const label = CATEGORY_LABELS[code.serviceCategory];
  const headingId = useId();
  return (
    <article className={styles.card} aria-labelledby={headingId}>
      <div className={styles.sheet}>
        <div className={styles.head}>
          <h2 id={headingId} tabIndex={-1} data-code>
            {label}
          </h2>
          <Badge>Active</Badge>
        </div>
        <img
          className={styles.picture}
          src={pictureUrl(code)}
          alt={`QR code to tip ${user.fullName}, ${label}`}
          width={720}
          height={720}
        />
        <p className={styles.id}>{showQrCodeId(code.id)}</p>
      </div>
      <OwnMachineNote url={code.url} />
      <div className={styles.actions}>
        <Button className={styles.download} onClick={() => downloadPicture(code, user.username)}>
          <Download aria-hidden /> Download QR
        </Button>
        <Button look="quiet" className={styles.print} onClick={onPrint}>
          <Printer aria-hidden /> Print
        </Button>
        <Link className={styles.open} href={paths.tip(code.id)}>
          Open Tip Page
        </Link>
      </div>
    </article>
  );
}
