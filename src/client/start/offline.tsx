/**
 * The page that the service worker answers without a connection. The server renders it; it has no script and loads no other
 * file.
 */
import { brand } from '#shared/brand.ts';
import button from '../ui/button.module.css';
import { RetryIcon } from '../ui/icons.tsx';
import screen from '../ui/screen.module.css';
import { Problem } from '../ui/states.tsx';

export function Offline() {
  return (
    <div className={[screen.screen, screen.column].join(' ')}>
      <header className={screen.head}>
        {/* The name is no link, because the worker keeps no landing page. */}
        <span className={screen.wordmark}>{brand.name}</span>
      </header>
      <main className={screen.main}>
        <Problem isScreen title={`${brand.name} cannot be reached`}>
          <p>
            Nothing was charged. Check your connection and try again. Tips that arrive meanwhile are not lost.
          </p>
          {/* biome-ignore lint/a11y/useValidAnchor: an empty reference is the address at which this page is shown (RFC 3986, section 4.4) */}
          <a href="" className={[button.button, button.primary].join(' ')}>
            <RetryIcon /> Try again
          </a>
        </Problem>
      </main>
    </div>
  );
}
