/** A page of paper with one code; the print dialog opens when the picture is decoded. */
import { useEffect, useEffectEvent, useRef } from 'react';
import { createPortal } from 'react-dom';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { showQrCodeId } from '#shared/ids.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { pictureUrl } from './qr-code-picture.ts';
import styles from './qr-code-print.module.css';

interface QrCodePrintProps {
  readonly code: QrCode;
  readonly user: User;
  readonly onDone: () => void;
}

export function QrCodePrint({ code, user, onDone }: QrCodePrintProps) {
  const picture = useRef<HTMLImageElement>(null);
  const done = useEffectEvent(onDone);

  useEffect(() => {
    let isWanted = true;
    const finish = () => done();
    const print = () => {
      if (isWanted) window.print();
    };
    window.addEventListener('afterprint', finish);
    picture.current?.decode().then(print, finish);
    return () => {
      isWanted = false;
      window.removeEventListener('afterprint', finish);
    };
  }, []);

  return createPortal(
    <section className={styles.page}>
      <h1>
        <bdi>{user.fullName}</bdi>
      </h1>
      <p className={styles.category}>{CATEGORY_LABELS[code.serviceCategory]}</p>
      <img ref={picture} src={pictureUrl(code)} alt="" width={720} height={720} />
      <p className={styles.call}>Scan to tip</p>
      <p className={styles.id}>{showQrCodeId(code.id)}</p>
    </section>,
    document.body,
  );
}
