import { formatMoney } from '#shared/money.ts';
import { exampleTip, netOf } from './example.ts';
import styles from './how-it-works.module.css';
import section from './section.module.css';

const steps = (): readonly { readonly title: string; readonly text: string }[] => [
  {
    title: 'Sign Up & Create QR',
    text: 'Register, select the services you provide, and get a QR code for each of them. Behind the bar on Friday, behind the decks on Saturday: one account, two codes.',
  },
  {
    title: 'Display Your QR Code',
    text: 'Print it and stand it on the bar, the mirror or the booth. Your customer scans it with any camera app, lands on your tip page, picks an amount and pays with Apple Pay. There is no app to install.',
  },
  {
    title: 'Receive Tips Instantly',
    text: `You are notified and paid the instant it goes through. Of a ${formatMoney(exampleTip())} tip, ${formatMoney(netOf(exampleTip()))} is yours, and you have seen it before they put their phone away.`,
  },
];

export const HOW_IT_WORKS = 'how-it-works';

export function HowItWorks() {
  return (
    <section className={[section.section, styles.spread].join(' ')} aria-labelledby={HOW_IT_WORKS}>
      <div className={styles.title}>
        <h2 id={HOW_IT_WORKS} tabIndex={-1} className={section.heading}>
          How it works
        </h2>
        <p className={styles.lead}>Three steps, and nothing to plug in.</p>
      </div>
      <ol>
        {steps().map(({ title, text }, index) => (
          <li key={title} className={styles.step}>
            <span className={styles.number} aria-hidden="true">
              {index + 1}
            </span>
            <div className={styles.words}>
              <h3>{title}</h3>
              <p>{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
