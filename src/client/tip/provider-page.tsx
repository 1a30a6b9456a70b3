/** A provider's public page: the codes that are listed there. It works without script. */
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { ProviderPage } from '#shared/qr-codes.ts';
import { paths } from '../paths.ts';
import { Badge } from '../ui/badge.tsx';
import card from '../ui/card.module.css';
import { Screen } from '../ui/screen.tsx';
import styles from './tip.module.css';

export function Provider({ page: { username, fullName, codes } }: { readonly page: ProviderPage }) {
  return (
    <Screen width="column" title={`Tip ${fullName}`}>
      <div className={styles.provider}>
        <h1 className={styles.name}>
          <bdi>{fullName}</bdi>
        </h1>
        <p className={styles.facts}>
          <bdi>@{username}</bdi>
        </p>
      </div>
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code.id}>
            <a className={[card.card, styles.code].join(' ')} href={paths.tip(code.id)}>
              {code.photoUrl && (
                <img className={styles.photo} src={code.photoUrl} alt="" width={512} height={512} />
              )}
              <span className={styles.words}>
                <bdi className={styles.greeting}>{code.name}</bdi>
                <span className={styles.facts}>
                  <Badge>{CATEGORY_LABELS[code.serviceCategory]}</Badge>
                  {code.status === 'paused' ? 'Not taking tips right now' : 'Tap to tip'}
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Screen>
  );
}
