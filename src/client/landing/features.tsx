import { BellRing, Layers, type LucideIcon, QrCode, Wallet } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  type Cents,
  cents,
  feesFor,
  formatMoney,
  formatRate,
  SHORT,
  type Terms,
  terms,
} from '#shared/money.ts';
import type { PaymentMode } from '#shared/payments.ts';
import { bounds } from '#shared/tip-amount.ts';
import { paymentMode } from '../installation.ts';
import card from '../ui/card.module.css';
import { Money } from '../ui/money.tsx';
import { exampleTip, sum } from './example.ts';
import styles from './features.module.css';
import section from './section.module.css';

const OF_WALLETS: Readonly<Record<PaymentMode, string>> = {
  simulated: 'For now the wallet payment is a simulated demo, and no money moves.',
  test: 'Test mode: no real money moves.',
  live: 'Stripe takes the payment: Apple Pay, Google Pay or a card.',
};

export function Features() {
  const { quickAmountsCents, giverFeeRate, receiverFeeRate, exponent } = terms();
  const quickest = quickAmountsCents.map(short);
  const rates = [giverFeeRate, receiverFeeRate].filter((rate) => rate > 0);
  /** Currencies with other decimals, or none, have no cents. */
  const hasCents = exponent === 2;
  return (
    <section className={section.section} aria-labelledby="features">
      <h2 id="features" className={section.heading}>
        A tip jar that counts for itself
      </h2>
      <ul className={styles.cards}>
        <Feature title="QR code tipping" icon={QrCode} width="half">
          <p>
            A code of your own for every service you provide, to print, to frame or to hold up on your phone.
            Any camera app reads it, and a code printed once keeps working.
          </p>
        </Feature>
        <Feature title="Wallet payment integration" icon={Wallet} width="half">
          <p>
            Customers pay with Apple Pay, the wallet that is already in their hand: no cash to find, no card
            to dig for.
          </p>
          <p className={styles.note}>{OF_WALLETS[paymentMode()]}</p>
        </Feature>
        <Feature title="Flexible amounts" width="wide">
          <p className={styles.money}>{bounds('to')}</p>
          <p>
            Pick one of {quickest.length} amounts from {quickest.at(0)} to {quickest.at(-1)} with one thumb,
            or type any other sum{hasCents && ', to the cent'}.
          </p>
        </Feature>
        <Feature title="Multi-service support" icon={Layers} width="narrow">
          <p>
            One account, many trades. Each service keeps its own code, so you know what every tip was for.
          </p>
        </Feature>
        <Feature title="Secure transactions" width="wide">
          <div className={styles.costs}>
            <div>
              {rates.length > 0 && <p className={styles.figure}>{rates.map(formatRate).join(' + ')}</p>}
              <p>
                {costs(terms())} every tip is kept{hasCents && ', to the cent,'} in a ledger that nothing
                rewrites.
              </p>
            </div>
            <Bill />
          </div>
        </Feature>
        <Feature title="Instant real-time notifications" icon={BellRing} width="narrow">
          <p>
            Givers see that their tip was sent, receivers see that it arrived: both at once, and nobody has to
            reload.
          </p>
        </Feature>
      </ul>
    </section>
  );
}

interface FeatureProps {
  readonly title: string;
  readonly icon?: LucideIcon;
  readonly width: 'narrow' | 'half' | 'wide';
  readonly children: ReactNode;
}

function Feature({ title, icon: Icon, width, children }: FeatureProps) {
  return (
    <li className={[card.card, styles.feature, styles[width]].join(' ')}>
      {Icon && <Icon className={styles.icon} aria-hidden />}
      <h3>{title}</h3>
      {children}
    </li>
  );
}

function Bill() {
  const { giverFeeRate, receiverFeeRate } = terms();
  const { giverFeeCents, receiverFeeCents, netAmountCents } = feesFor(exampleTip());
  return (
    <dl className={styles.bill}>
      <Line what="Tip" amountCents={exampleTip()} />
      {giverFeeRate > 0 && (
        <Line what={`Service fee (${formatRate(giverFeeRate)})`} amountCents={giverFeeCents} />
      )}
      <Line what="The giver pays" amountCents={sum([exampleTip(), giverFeeCents])} isTotal />
      {receiverFeeRate > 0 && (
        <Line what={`Receiver fee (${formatRate(receiverFeeRate)})`} amountCents={cents(-receiverFeeCents)} />
      )}
      <Line what="The provider receives" amountCents={netAmountCents} isTotal />
    </dl>
  );
}

interface LineProps {
  readonly what: string;
  readonly amountCents: Cents;
  readonly isTotal?: boolean;
}

function Line({ what, amountCents, isTotal = false }: LineProps) {
  return (
    <div className={styles.line} data-total={isTotal}>
      <dt>{what}</dt>
      <dd>
        <Money amountCents={amountCents} />
      </dd>
    </div>
  );
}

/** The first half of a sentence: who pays which fee. */
function costs({ giverFeeRate, receiverFeeRate }: Terms): string {
  const added = `The giver pays ${formatRate(giverFeeRate)} on top`;
  const deducted = `${formatRate(receiverFeeRate)} comes off what the provider receives`;
  if (giverFeeRate > 0 && receiverFeeRate > 0)
    return `${added}, and ${deducted}. Both are shown before anybody pays, and`;
  if (giverFeeRate > 0) return `${added}. It is shown before anybody pays, and`;
  if (receiverFeeRate > 0) return `${deducted}. It is shown before anybody pays, and`;
  return 'There are no fees: the giver pays the tip, and the provider receives all of it. And';
}

function short(amountCents: Cents): string {
  return formatMoney(amountCents, SHORT);
}
