import { type ComponentType, lazy, useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { qrIdFrom } from '#shared/page-paths.ts';
import { isPageUsername } from '#shared/usernames.ts';
import { paths } from '../paths.ts';
import { useSession } from '../session/session.ts';
import { toastError } from '../toasts.ts';
import { Badge } from '../ui/badge.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import card from '../ui/card.module.css';
import { ScreenHeading } from '../ui/heading.tsx';
import { ArrowLeftIcon } from '../ui/icons.tsx';
import { Screen } from '../ui/screen.tsx';
import { Loading, Problem, Skeleton } from '../ui/states.tsx';
import type { LateProps } from './late.tsx';
import { type Provider, useProvider } from './provider.ts';
import styles from './tip.module.css';
import { type LateScreen, TipSteps } from './tip-steps.tsx';

const LOOKUP_FAILED = 'QR code not found';

export const fetchLate = () => import('./late.tsx').then(({ Late }) => ({ default: Late }));
const FetchedLate = lazy(fetchLate);

interface TipProps {
  /** Given by the server, which cannot wait for a lazy component. */
  readonly late?: ComponentType<LateProps>;
}

/** Another address mounts another page. */
export function Tip(props: TipProps) {
  const [pathname] = useLocation();
  return <TipOf key={pathname} qrId={qrIdFrom(pathname)} {...props} />;
}

function TipOf({ qrId, late: Late = FetchedLate }: TipProps & { readonly qrId: string }) {
  const { state, retry } = useProvider(qrId, useSearch());
  const session = useSession();
  useEffect(() => {
    if (state.kind === 'unknown') toastError(LOOKUP_FAILED);
    if (state.kind === 'failed') toastError(state.detail ?? LOOKUP_FAILED);
  }, [state]);

  const isSignedIn = session.status === 'signed-in';
  const back = (
    <ButtonLink look="quiet" href={isSignedIn ? paths.dashboard : paths.home}>
      <ArrowLeftIcon /> Back
    </ButtonLink>
  );
  const late: LateScreen = (why, onRetry = retry) => (
    <Late why={why} typed={qrId} isSignedIn={isSignedIn} onRetry={onRetry} />
  );
  switch (state.kind) {
    case 'loading':
      return (
        <Screen title="Tip" actions={back} width="column">
          <Loading>
            <Skeleton height="card" />
            <Skeleton height="tall" />
          </Loading>
        </Screen>
      );
    case 'failed':
      return (
        <Screen title="Tip" actions={back} width="column">
          <Problem isScreen title={`${brand.name} could not look this code up`} onRetry={retry}>
            <p>Nothing is lost, and nothing is paid twice. Check your connection and try again.</p>
          </Problem>
        </Screen>
      );
    case 'found':
      return (
        <Screen title={titleFor(state.provider)} actions={back} width="column">
          <ProviderCard provider={state.provider} />
          <TipSteps key={state.provider.qrId} provider={state.provider} late={late} />
        </Screen>
      );
    default:
      return late(state.kind);
  }
}

/** The title of a demo has no name, because anybody can write one into its address. */
export function titleFor({ fullName, serviceCategory, isDemo }: Provider): string {
  return isDemo ? `Demo tip page, ${CATEGORY_LABELS[serviceCategory]}` : `Tip ${fullName}`;
}

/** Characters of a name that take three lines in large letters. A longer name leaves room for the amounts. */
const MANY = 28;

function ProviderCard({ provider }: { readonly provider: Provider }) {
  const { fullName, username, serviceCategory, greeting, photoUrl, isDemo } = provider;
  return (
    <section className={[card.card, styles.provider].join(' ')} aria-label="Who receives your tip">
      <div className={styles.who}>
        {photoUrl && <Photo src={photoUrl} />}
        <div className={styles.words}>
          <ScreenHeading className={fullName.length > MANY ? styles.long : styles.name}>
            <bdi>{fullName}</bdi>
          </ScreenHeading>
          <p className={styles.facts}>
            {!isPageUsername(username) && <bdi>{`@${username}`}</bdi>}{' '}
            <Badge>{CATEGORY_LABELS[serviceCategory]}</Badge>
          </p>
        </div>
      </div>
      {greeting && (
        <p className={styles.greeting}>
          <q dir="auto">{greeting}</q>
        </p>
      )}
      {isDemo && (
        <p className={styles.demo}>
          <strong>This is a demo.</strong> Nobody is behind this code, and nothing is recorded or paid.
        </p>
      )}
    </section>
  );
}

/** The largest side of a photo, in pixels. */
const SIDE = 512;

/** A photo that fails to load is removed, even if that happened before the script loaded. */
function Photo({ src }: { readonly src: string }) {
  return (
    <img
      ref={(image) => {
        if (image?.complete && !image.naturalWidth) image.hidden = true;
      }}
      src={src}
      alt=""
      width={SIDE}
      height={SIDE}
      // React writes a preload for any other image, before the title of a rendered page.
      fetchPriority="low"
      className={styles.photo}
      onError={({ currentTarget }) => {
        currentTarget.hidden = true;
      }}
    />
  );
}
