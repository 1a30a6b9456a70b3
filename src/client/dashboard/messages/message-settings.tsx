/** The part of the profile about messages. Each of its lists is fetched when it is opened. */
import { lazy, type ReactNode, useState } from 'react';
import card from '../../ui/card.module.css';
import { Loading } from '../../ui/states.tsx';
import care from '../account/account-care.module.css';
import { Fetched } from '../shared/fetched.tsx';

const OwnThankYous = lazy(() =>
  import('./own-thank-yous.tsx').then(({ OwnThankYous }) => ({ default: OwnThankYous })),
);
const BlockedGivers = lazy(() =>
  import('./blocked-givers.tsx').then(({ BlockedGivers }) => ({ default: BlockedGivers })),
);

export function MessageSettings() {
  return (
    <section className={[card.card, care.part].join(' ')} aria-labelledby="message-settings">
      <h2 className={care.heading} id="message-settings">
        Words with tips
      </h2>
      <Opened title="Thank-yous">
        <OwnThankYous />
      </Opened>
      <Opened title="Blocked givers">
        <BlockedGivers />
      </Opened>
    </section>
  );
}

function Opened({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const [wasOpened, setOpened] = useState(false);
  return (
    <details className={care.more} onToggle={() => setOpened(true)}>
      <summary>{title}</summary>
      {wasOpened && <Fetched sketch={<Loading />}>{children}</Fetched>}
    </details>
  );
}
