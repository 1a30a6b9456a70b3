/** The screen of a receipt that is not there, or not for whoever looks. */
import { dashboardTab } from '../paths.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import card from '../ui/card.module.css';
import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';
import states from '../ui/states.module.css';

/**
 * Other people's transactions are as unknown as those that never were.
 *
 * @param props.isByLink whether the address alone opens the receipt, as a guest's does; else it takes a login as well.
 */
export function UnknownReceipt({ isByLink = false }: { readonly isByLink?: boolean }) {
  return (
    <Screen title="Transaction not found" width="column">
      <section className={[card.card, states.problem].join(' ')}>
        <ScreenHeading className={states.title}>Transaction not found</ScreenHeading>
        {isByLink ? (
          <p>There is no receipt at this address. Check that the whole link was copied.</p>
        ) : (
          <>
            <p>
              There is no transaction of yours at this address. A receipt can be seen by the two people of the
              tip only: check the link, and which account you are logged in with.
            </p>
            <ButtonLink href={dashboardTab('transactions')}>View Transactions</ButtonLink>
          </>
        )}
      </section>
    </Screen>
  );
}
