/** The frame of the console: who is logged in, the menu of its parts, and the part that the address names. */
import { Suspense, useEffect, useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { brand } from '#shared/brand.ts';
import { CONSOLE_PARTS, CONSOLE_PATH, type ConsolePart, consolePath } from '#shared/console/parts.ts';
import { Button } from '../ui/button.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { Loading } from '../ui/states.tsx';
import styles from './console.module.css';
import { consoleApi, consoleHooks, queryClient } from './console-api.ts';
import { endSession, useToken } from './console-session.ts';
import { Login } from './login.tsx';
import { PARTS } from './parts.ts';

export function Frame() {
  const token = useToken();
  const [pathname] = useLocation();
  return token === null ? <Login /> : <Inside part={partAt(pathname)} />;
}

function partAt(pathname: string): ConsolePart {
  return CONSOLE_PARTS.find((part) => consolePath(part) === pathname) ?? 'health';
}

function Inside({ part }: { readonly part: ConsolePart }) {
  const { name, Part } = PARTS[part];
  return (
    <div className={styles.frame}>
      <title>{`${name} · Operator · ${brand.name}`}</title>
      <Head />
      <Menu present={part} />
      <main className={styles.main}>
        <ScreenHeading key={part} className={styles.heading}>
          {name}
        </ScreenHeading>
        <Suspense fallback={<Loading />}>
          <Part />
        </Suspense>
      </main>
    </div>
  );
}

function Head() {
  const { data } = consoleHooks.session.me.useQuery();
  async function logOut() {
    // The token is forgotten here even when the server cannot be told.
    await consoleApi.session.end.mutate().catch(() => {});
    endSession(false);
    queryClient.clear();
  }
  return (
    <header className={styles.head}>
      <Link href={CONSOLE_PATH} className={styles.wordmark}>
        {brand.name} <span>Operator</span>
      </Link>
      <bdi className={styles.email}>{data?.email}</bdi>
      <Button look="quiet" onClick={logOut}>
        Log Out
      </Button>
    </header>
  );
}

/** A column beside the part on a wide screen; behind a button on a phone, where nine parts have no room. */
function Menu({ present }: { readonly present: ConsolePart }) {
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
              {...(part === present && { 'aria-current': 'page' as const })}
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
