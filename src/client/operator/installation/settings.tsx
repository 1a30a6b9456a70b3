/** What is set in the server's environment and folder: shown as it is, with what changes it. */
import type { InstallationSettings } from '#shared/console/installation.ts';
import type { RegistrationMode } from '#shared/registration-mode.ts';
import { consoleHooks } from '../console-api.ts';
import { Fact, FactRows } from '../facts.tsx';
import { Loaded } from '../loaded.tsx';
import { When } from '../when.tsx';
import styles from './installation.module.css';

const REGISTRATION: Readonly<Record<RegistrationMode, string>> = {
  open: 'Anybody can sign up. Invitations are not needed.',
  invite: 'Whoever has an invitation can sign up.',
  closed: 'Nobody can sign up, not even with an invitation.',
};

export function RegistrationSetting() {
  const query = consoleHooks.installation.settings.useQuery();
  return (
    <Loaded query={query}>
      {({ registration }) => (
        <>
          <p>{REGISTRATION[registration]}</p>
          <SetBy what={`REGISTRATION=${registration}`} />
        </>
      )}
    </Loaded>
  );
}

export function MaintenanceSetting() {
  const query = consoleHooks.installation.settings.useQuery();
  return (
    <section className={styles.section} aria-labelledby="maintenance">
      <h2 id="maintenance">Maintenance</h2>
      <Loaded query={query}>
        {({ maintenance }) => (
          <>
            {maintenance === null ? (
              <p>Off. Tips are taken as always.</p>
            ) : (
              <p>
                On{maintenance.until !== null && ' until '}
                {maintenance.until !== null && <When at={maintenance.until} />}. No tips are taken, and none
                are refunded.
              </p>
            )}
            <SetBy what="MAINTENANCE, MAINTENANCE_UNTIL" />
          </>
        )}
      </Loaded>
    </section>
  );
}

export function BrandSettings() {
  const query = consoleHooks.installation.settings.useQuery();
  return (
    <section className={styles.section} aria-labelledby="brand">
      <h2 id="brand">Brand</h2>
      <Loaded query={query}>{({ brand }) => <Brand brand={brand} />}</Loaded>
    </section>
  );
}

function Brand({ brand }: Pick<InstallationSettings, 'brand'>) {
  const { name, sentence, colour, mended, logo, folder, pages } = brand;
  return (
    <>
      <FactRows>
        <Fact term="Name">
          <bdi>{name}</bdi>
        </Fact>
        <Fact term="Sentence">
          <bdi>{sentence}</bdi>
        </Fact>
        <Fact term="Color">
          {colour === null ? (
            'As delivered'
          ) : (
            <>
              <Swatch colour={colour} /> {colour}
              {mended.map((sentenceAbout) => (
                <span key={sentenceAbout} className={styles.note}>
                  {sentenceAbout}
                </span>
              ))}
            </>
          )}
        </Fact>
        <Fact term="Logo">
          {logo === null ? 'None' : <img className={styles.logo} src={logo} alt={`The logo of ${name}`} />}
        </Fact>
        <Fact term="Pages">
          {pages.length === 0
            ? 'None'
            : pages.map(({ label, path }) => (
                <a key={path} className={styles.page} href={path}>
                  {label}
                </a>
              ))}
        </Fact>
        <Fact term="Folder">{folder === null ? 'None' : <code>{folder}</code>}</Fact>
      </FactRows>
      <SetBy what="BRAND_NAME, BRAND_SENTENCE, BRAND_COLOR, BRAND_FOLDER" />
      <p className={styles.soft}>
        The folder holds <code>logo.png</code>, <code>terms.md</code>, <code>privacy.md</code> and{' '}
        <code>imprint.md</code>.
      </p>
    </>
  );
}

function Swatch({ colour }: { readonly colour: string }) {
  return (
    <svg className={styles.swatch} viewBox="0 0 1 1" aria-hidden="true">
      <rect width="1" height="1" fill={colour} />
    </svg>
  );
}

function SetBy({ what }: { readonly what: string }) {
  return (
    <p className={styles.soft}>
      Set by <code>{what}</code> in the server’s environment. Restart the server after a change.
    </p>
  );
}
