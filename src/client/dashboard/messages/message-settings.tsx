/** What a provider settles about messages: the ready thank-yous, and who is blocked. */
import care from '../account/account-care.module.css';
import { BlockedGivers } from './blocked-givers.tsx';
import { OwnThankYous } from './own-thank-yous.tsx';

export function MessageSettings() {
  return (
    <>
      <section className={care.part} aria-labelledby="ready-thank-yous">
        <h3 className={care.heading} id="ready-thank-yous">
          Thank-yous
        </h3>
        <OwnThankYous />
      </section>
      <section className={care.part} aria-labelledby="blocked-givers">
        <h3 className={care.heading} id="blocked-givers">
          Blocked
        </h3>
        <BlockedGivers />
      </section>
    </>
  );
}
