/** Says how to install the dashboard as an app, where the browser can. */
import { useEffect } from 'react';
import { brand } from '#shared/brand.ts';
import { useInstallOffer } from '../../api/install-offer.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import styles from '../account/account-care.module.css';
import { isPageOfIos } from './registration.ts';

export function Install() {
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

/** Names the manifest in a page that arrived without, as that of the login: on a home screen it would be a bookmark otherwise. */
function nameManifest(): void {
  if (document.querySelector('link[rel="manifest"]')) return;
  const link = document.createElement('link');
  link.rel = 'manifest';
  link.href = '/manifest.webmanifest';
  document.head.append(link);
}
