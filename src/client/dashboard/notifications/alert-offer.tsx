/** Offers once to tell of tips on this device, after a code was first shown to somebody, until it is answered. */
import { useRef, useState } from 'react';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import styles from '../account/account-care.module.css';
import { isAnyAlertOn, useAlertChoices } from '../live/alerts.ts';
import { rememberAnswer } from '../shared/code-shown.ts';
import { TipSwitch } from './tip-switch.tsx';
import { useNotifications } from './use-notifications.ts';

export function AlertOffer({ user }: { readonly user: KeptUser }) {
  const { standing, retry: _, ...actions } = useNotifications(user.id);
  const choices = useAlertChoices();
  const [isDone, setDone] = useState(false);
  const offer = useRef<HTMLElement>(null);
  if (isDone || standing.status !== 'ready') return null;
  const isOn = standing.data.own !== null || isAnyAlertOn(choices);

  function close() {
    rememberAnswer(user.id);
    offer.current?.closest<HTMLElement>('[role="tabpanel"]')?.focus();
    setDone(true);
  }

  return (
    <section ref={offer} className={[card.card, styles.part].join(' ')} aria-labelledby="alert-offer">
      <h2 className={styles.heading} id="alert-offer">
        Hear about each tip
      </h2>
      <TipSwitch standing={standing.data} actions={actions} />
      <Button look="quiet" className={styles.action} onClick={close}>
        {isOn ? 'Done' : 'Not Now'}
      </Button>
    </section>
  );
}
