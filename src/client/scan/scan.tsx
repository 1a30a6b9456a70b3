/** The scan screen: people scan a code by camera or picture, or type a code or a link. */
import { ArrowRight } from 'lucide-react';
import { lazy, type SubmitEvent, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import type { User } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import { NO_CODE, readScannedText } from '#shared/scanned-text.ts';
import { paths } from '../paths.ts';
import { toastError } from '../toasts.ts';
import { Later } from '../ui/boundary.tsx';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { ArrowLeftIcon } from '../ui/icons.tsx';
import { CodeField } from '../ui/later/code-field.tsx';
import { Screen } from '../ui/screen.tsx';
import styles from './scan.module.css';
import { Scanner } from './scanner.tsx';

/** Fetched by itself, because the screen shows no other data of the account. */
const SignedInData = lazy(() =>
  import('../signed-in/signed-in-data.tsx').then(({ SignedInData }) => ({ default: SignedInData })),
);

const follow = (code: string) => navigate(paths.tip(code));

export function Scan({ user }: { readonly user: User }) {
  return (
    <>
      <Later>
        <SignedInData user={user}>{null}</SignedInData>
      </Later>
      <Screen
        title="Scan QR Code"
        actions={
          <ButtonLink look="quiet" href={paths.dashboard}>
            <ArrowLeftIcon /> Back to Dashboard
          </ButtonLink>
        }
      >
        <ScreenHeading>Scan QR Code</ScreenHeading>
        <div className={styles.spread}>
          <Scanner onCode={follow} />
          <div className={styles.ways}>
            <CodeForm onCode={follow} />
            <DemoCodes />
          </div>
        </div>
      </Screen>
    </>
  );
}

const DEMO_CODES: readonly { readonly code: string; readonly category: ServiceCategory }[] = [
  { code: 'demo-alex-bartender', category: 'bartender' },
  { code: 'demo-sam-barber', category: 'barber' },
];

function DemoCodes() {
  const id = useId();
  return (
    <section className={styles.way} aria-labelledby={id}>
      <h2 id={id}>Try a demo</h2>
      <ul className={styles.demos}>
        {DEMO_CODES.map(({ code, category }) => (
          <li key={code}>
            <Link className={styles.demo} href={paths.tip(code)}>
              <code>{code}</code>
              <span>{CATEGORY_LABELS[category]}</span>
              <ArrowRight aria-hidden />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const EXAMPLE = 'K7Q2M-9XW4T';
const HOW_TO_MEND = `${NO_CODE}: a code has ten letters and digits, such as ${EXAMPLE}.`;

function CodeForm({ onCode }: { readonly onCode: (code: string) => void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [wasRefused, setRefused] = useState(false);
  const { code, problem } = readScannedText(text);
  const error = problem === NO_CODE ? HOW_TO_MEND : (problem ?? undefined);

  function process(event: SubmitEvent) {
    event.preventDefault();
    if (problem === null) return onCode(code);
    setRefused(true);
    toastError(problem);
    input.current?.focus();
  }

  return (
    <section className={styles.way} aria-labelledby={id}>
      <h2 id={id}>Enter it by hand</h2>
      <form className={styles.form} noValidate onSubmit={process}>
        <CodeField
          ref={input}
          value={text}
          onChange={(event) => setText(event.target.value)}
          error={wasRefused ? error : undefined}
        />
        <Button type="submit">Process QR Code</Button>
      </form>
      <div className={styles.hints}>
        <p>Your phone’s own camera reads these codes as well: point it at one and tap the link.</p>
        <p>Here, any of these will do:</p>
        <ul>
          <li>
            the code under the picture, such as <code>{EXAMPLE}</code>
          </li>
          <li>
            a {brand.name} link:{' '}
            <code>
              {brand.linkScheme}://tip/
              <wbr />
              alex/
              <wbr />
              bartender
            </code>
          </li>
          <li>
            the address of a tip page: <code>https://...{paths.tip('K7Q2M9XW4T')}</code>
          </li>
        </ul>
      </div>
    </section>
  );
}
