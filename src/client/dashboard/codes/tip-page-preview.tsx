/** The head of the tip page as it will be; it looks as tip/tip.tsx draws it. */
import type { ReactNode } from 'react';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { Badge } from '../../ui/badge.tsx';
import card from '../../ui/card.module.css';
import styles from './tip-page-preview.module.css';

interface TipPagePreviewProps {
  readonly user: User;
  readonly code: QrCode;
  /** What is in the fields. */
  readonly displayName: string;
  readonly greeting: string;
  /** Null without one. */
  readonly photo: ReactNode;
}

export function TipPagePreview({ user, code, displayName, greeting, photo }: TipPagePreviewProps) {
  const ownName = displayName.trim();
  return (
    <figure className={styles.preview}>
      <figcaption>What givers see</figcaption>
      <div className={[card.card, styles.page].join(' ')}>
        <div className={styles.who}>
          {photo !== null && <div className={styles.photo}>{photo}</div>}
          <div className={styles.words}>
            <p className={styles.name}>
              <bdi>{ownName || user.fullName}</bdi>
            </p>
            <p className={styles.facts}>
              {ownName === '' && <bdi>@{user.username}</bdi>}
              <Badge>{CATEGORY_LABELS[code.serviceCategory]}</Badge>
            </p>
          </div>
        </div>
        {greeting.trim() !== '' && (
          <p className={styles.greeting}>
            <q>
              <bdi>{greeting.trim()}</bdi>
            </q>
          </p>
        )}
      </div>
    </figure>
  );
}
