/** A code that fills the screen, until the rest of shift mode has come. */
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { showQrCodeId } from '#shared/ids.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { paths } from '../../paths.ts';
import { ArrowLeftIcon } from '../../ui/icons.tsx';
import styles from './shift.module.css';

interface CodeOnScreenProps {
  /** Null leaves places that start/kept-frame.ts fills. */
  readonly code: QrCode | null;
  readonly name: string;
}

export function CodeOnScreen({ code, name }: CodeOnScreenProps) {
  return (
    <div className={styles.shift} data-scheme="light">
      <header className={styles.head}>
        <a href={paths.dashboard} className={styles.back}>
          <ArrowLeftIcon /> Back
        </a>
      </header>
      <main className={styles.main}>
        <div className={styles.stage}>
          <img
            className={styles.picture}
            {...(code && { src: `data:image/png;base64,${code.imageBase64}` })}
            alt="QR code"
            width={720}
            height={720}
          />
        </div>
        <div className={styles.below}>
          <div className={styles.words}>
            <div className={styles.whose}>
              <p>Scan to tip</p>
              <h1 className={styles.name}>
                <bdi data-fill="name">{name}</bdi>
              </h1>
              <p className={styles.service} data-fill="service">
                {code && CATEGORY_LABELS[code.serviceCategory]}
              </p>
              <p className={styles.id} data-fill="id">
                {code && showQrCodeId(code.id)}
              </p>
            </div>
          </div>
        </div>
      </main>
    </div>
  );
}
