/** The frame of the console: who is logged in, the menu of its parts, and the part that the address names. */
import { type ReactNode, useEffect, useId, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { brand } from '#shared/brand.ts';
import {
  CONSOLE_PARTS,
  CONSOLE_PATH,
  type ConsolePart,
  consolePath,
  ENROL_PATH,
  OWN_PATH,
} from '#shared/console/parts.ts';
import { useFragment } from '../fragment.ts';
import { Later } from '../ui/boundary.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { Loading, Problem } from '../ui/states.tsx';
import styles from './console.module.css';
import { consoleHooks, failureOf } from './console-api.ts';
import { useToken } from './console-session.ts';
import { Enrolment, FirstRecoveryCodes, LinkPage } from './enrolment.tsx';
import { LogOut } from './log-out.tsx';
import { Login } from './login.tsx';
import { OwnAccount } from './own-account.tsx';
import { PARTS } from './parts.ts';

export function Frame() {
  const token = useToken();
  const [pathname, navigate] = useLocation();
  const hash = useFragment();
  // A link is for whoever opens it, also where somebody is logged in, or where another link was opened before.
  if (pathname === ENROL_PATH && hash !== '') return <LinkPage key={hash} token={hash.slice(1)} />;
  if (token === null) return <Login />;
  return <Inside pathname={pathname} onEnrolled={() => navigate(CONSOLE_PATH, { replace: true })} />;
}

function Inside({ pathname, onEnrolled }: { readonly pathname: string; readonly onEnrolled: () => void }) {
  const { data, error, refetch } = consoleHooks.session.me.useQuery();
  const [codes, setCodes] = useState<readonly string[]>();

  async function enter() {
    onEnrolled();
    if ((await refetch()).isSuccess) setCodes(undefined);
  }

  // Whoever leaves the page to keep them comes back as somebody who has enrolled.
  if (codes) return <FirstRecoveryCodes codes={codes} onKept={() => void enter()} />;
  if (error && !data) {
    return (
      <main className={styles.door}>
        <Problem isScreen title="The console could not be shown" onRetry={() => void refetch()}>
          <p>{failureOf(error).detail}</p>
        </Problem>
      </main>
    );
  }
  if (!data) return <Loading />;
  if (!data.isEnrolled) {
    return <Enrolment email={data.email} onEnrolled={() => void enter()} onCodes={setCodes} />;
  }
  if (pathname === OWN_PATH) {
    return (
      <Page name="Your Account" email={data.email} path={pathname}>
        <OwnAccount />
      </Page>
    );
  }
  const part = partAt(pathname);
  const { name, Part } = PARTS[part];
  return (
    <Page name={name} email={data.email} path={consolePath(part)}>
      <Part />
    </Page>
  );
}

function partAt(pathname: string): ConsolePart {
  return CONSOLE_PARTS.find((part) => consolePath(part) === pathname) ?? 'health';
}

interface PageProps {
  readonly name: string;
  readonly email: string;
  readonly path: string;
  readonly children: ReactNode;
}

function Page({ name, email, path, children }: PageProps) {
  // A person has the path of the list that led there.
  const person = new URLSearchParams(useSearch()).get('person') ?? '';
  return (
    <div className={styles.frame}>
      <title>{`${name} · Operator · ${brand.name}`}</title>
      <Head email={email} />
      <Menu present={path} />
      <main className={styles.main}>
        <ScreenHeading key={`${path}?${person}`} className={styles.heading}>
          {name}
        </ScreenHeading>
        <Later key={`${path} `} meanwhile={<Loading />} otherwise={<NotFetched />}>
          {children}
        </Later>
      </main>
    </div>
  );
}

function NotFetched() {
  return (
    <Problem title="This part could not be shown" onRetry={() => window.location.reload()}>
      <p>It may have been upgraded, or the connection was lost. Try again to load it anew.</p>
    </Problem>
  );
}

function Head({ email }: { readonly email: string }) {
  return (
    <header className={styles.head}>
      <Link href={CONSOLE_PATH} className={styles.wordmark}>
        {brand.name} <span>Operator</span>
      </Link>
      <Link href={OWN_PATH} className={styles.email} aria-label={`Your account, ${email}`}>
        <bdi>{email}</bdi>
      </Link>
      <LogOut>Log Out</LogOut>
    </header>
  );
}

/** A column beside the part on a wide screen; behind a button on a phone, where nine parts have no room. */
function Menu({ present }: { readonly present: string }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another part closes the menu
  useEffect(() => setOpen(false), [present]);
  return (
    <nav className={styles.menu} aria-label="Parts of the console">
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <ul id={id} className={styles.parts} data-open={isOpen}>
        {CONSOLE_PARTS.map((part) => (
          <li key={part}>
            <Link
              href={consolePath(part)}
              className={styles.part}
              {...(consolePath(part) === present && { 'aria-current': 'page' as const })}
              onClick={() => setOpen(false)}
            >
              {PARTS[part].name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
