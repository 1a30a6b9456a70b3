/** The dashboard as an app on this device, where the browser offers it. */
import { useEffect } from 'react';
import { brand } from '#shared/brand.ts';
import { useInstallOffer } from '../../api-client/install-offer.ts';
import { Button } from '../../ui/button.tsx';
import { isPageOfIos } from '../notifications/registration.ts';
import styles from './account-care.module.css';

export function Install() {
  const install = useInstallOffer();
  useEffect(nameManifest, []);
  const isByHand = isPageOfIos();
  if (install === null && !isByHand) return null;
  return (
    <section className={styles.part} aria-labelledby="app">
      <h3 className={styles.heading} id="app">
        {brand.name} as an app
      </h3>
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
