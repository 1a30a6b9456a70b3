/** The parts of the profile about this device: notifications of tips, and the app. */
import { useEffect } from 'react';
import type { User } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { useInstallOffer } from '../../api-client/install-offer.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import styles from '../account/account-care.module.css';
import { Notifications } from './notifications.tsx';
import { isPageOfIos } from './registration.ts';

export function ThisDevice({ user }: { readonly user: User }) {
  return (
    <>
      {user.isServiceProvider && <Notifications userId={user.id} />}
      <Install />
    </>
  );
}

function Install() {
  const install = useInstallOffer();
  useEffect(nameManifest, []);
  const isByHand = isPageOfIos();
  if (install === null && !isByHand) return null;
  return (
    <section className={[card.card, styles.part].join(' ')} aria-labelledby="app">
      <h2 className={styles.heading} id="app">
        {brand.name} as an app
      </h2>
      {install ? (
        <>
          <p>It opens like any other app, without the browser around it.</p>
          <Button look="quiet" className={styles.action} onClick={() => void install()}>
            Install {brand.name}
          </Button>
        </>
      ) : (
        <p>Tap Share in the browser, then “Add to Home Screen”.</p>
      )}
    </section>
  );
}

/** A page that arrived without a manifest, such as the login, would be a bookmark on a home screen. */
function nameManifest(): void {
  if (document.querySelector('link[rel="manifest"]')) return;
  const link = document.createElement('link');
  link.rel = 'manifest';
  link.href = '/manifest.webmanifest';
  document.head.append(link);
}
