/** The QR Codes tab: the current codes, the statistics, a button for each service without a code, and the old codes. */
import { useQueryClient } from '@tanstack/react-query';
import { LoaderCircle, Plus, QrCode as QrCodeIcon } from 'lucide-react';
import {
  lazy,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { codeCreationKey, trpc } from '../../signed-in/api-hooks.ts';
import { Empty } from '../../signed-in/empty.tsx';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { Later } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import { useOfferDue } from '../shared/code-shown.ts';
import { FetchedDialog } from '../shared/fetched.tsx';
import { useCreateQrCode } from './code-changes.ts';
import { useOpened } from './opening.ts';
import { QrCodeCard } from './qr-code-card.tsx';
import styles from './qr-codes.module.css';

/** Most providers have none, so that it is not fetched with the tab. */
const OldCodes = lazy(() => import('./old-codes.tsx').then(({ OldCodes }) => ({ default: OldCodes })));

const AlertOffer = lazy(() =>
  import('../notifications/alert-offer.tsx').then(({ AlertOffer }) => ({ default: AlertOffer })),
);

const OpenedCode = lazy(() =>
  import('./opened-code.tsx').then(({ OpenedCode }) => ({ default: OpenedCode })),
);

interface QrCodesProps {
  readonly user: KeptUser;
  readonly codes: readonly QrCode[];
  /** Stands between the codes and what is done rarely. */
  readonly children: ReactNode;
}

export function QrCodes({ user, codes, children }: QrCodesProps) {
  const { data: ended } = trpc.qrCodes.ended.useQuery({ limit: 1 });
  const creation = useCreation(codes);
  const isOfferDue = useOfferDue(user.id);
  const isOpened = useOpened() !== null;
  /** The dialog stays mounted, because it may have unsaved changes. */
  const [wasOpened, setWasOpened] = useState(isOpened);
  if (isOpened && !wasOpened) setWasOpened(true);
  const missing = user.serviceCategories.filter((category) =>
    codes.every(({ serviceCategory }) => serviceCategory !== category),
  );
  const createButtons = (look: 'primary' | 'quiet') =>
    missing.map((category) => (
      <CreateButton key={category} category={category} creation={creation} look={look} />
    ));

  /** A code whose card disappears together with the focus, which the next code of its service takes. */
  const gone = useRef<QrCode | null>(null);
  useEffect(() => {
    const { id, serviceCategory } = gone.current ?? {};
    if (id === undefined || codes.some((code) => code.id === id)) return;
    gone.current = null;
    if (document.activeElement !== document.body) return;
    const next = codes.find((code) => code.serviceCategory === serviceCategory);
    const heading = creation.area.current?.querySelector<HTMLElement>(`[data-code="${next?.id}"]`);
    (heading ?? creation.area.current?.closest<HTMLElement>('[role="tabpanel"]'))?.focus();
  });

  return (
    <div ref={creation.area} className={styles.tab}>
      {codes.length === 0 ? (
        <Empty icon={<QrCodeIcon />} title="No QR Codes Yet">
          <p>Create one for each service, print it, and put it where people pay.</p>
          <div className={styles.first}>{createButtons('primary')}</div>
        </Empty>
      ) : (
        <ul className={styles.codes}>
          {codes.map((code) => (
            <li key={code.id}>
              <QrCodeCard
                code={code}
                username={user.username}
                name={code.displayName ?? user.fullName}
                onGone={() => {
                  gone.current = code;
                }}
              />
            </li>
          ))}
        </ul>
      )}
      {children}
      {codes.length > 0 && missing.length > 0 && (
        <div className={styles.missing}>{createButtons('quiet')}</div>
      )}
      {isOfferDue && (
        <Later>
          <AlertOffer user={user} />
        </Later>
      )}
      {ended?.codes[0] && (
        <Later>
          <OldCodes />
        </Later>
      )}
      {wasOpened && (
        <FetchedDialog>
          <OpenedCode codes={codes} user={user} />
        </FetchedDialog>
      )}
    </div>
  );
}

interface Creation {
  /** The service whose code is being created; undefined while none is. */
  readonly category: unknown;
  readonly area: RefObject<HTMLDivElement | null>;
  readonly create: (category: ServiceCategory) => void;
}

/**
 * Creates one code at a time, also when somebody has left the tab meanwhile. The next button or the new code takes the
 * focus of the pressed button.
 */
function useCreation(codes: readonly QrCode[]): Creation {
  const area = useRef<HTMLDivElement>(null);
  const pressed = useRef<ServiceCategory | null>(null);
  const { mutate } = useCreateQrCode();
  const cache = useQueryClient().getMutationCache();
  const find = () => cache.find({ mutationKey: codeCreationKey, status: 'pending' });
  const underWay = useSyncExternalStore(cache.subscribe, find);
  const { serviceCategory: category }: { readonly serviceCategory?: unknown } = Object(
    underWay?.state.variables,
  );

  useEffect(() => {
    if (codes.every(({ serviceCategory }) => serviceCategory !== pressed.current)) return;
    pressed.current = null;
    if (document.activeElement !== document.body) return;
    const next = area.current?.querySelector<HTMLElement>('button[data-create]');
    const cards = area.current?.querySelectorAll<HTMLElement>('[data-code]');
    (next ?? cards?.item(cards.length - 1))?.focus();
  }, [codes]);

  return {
    category,
    area,
    create(next) {
      if (find()) return;
      pressed.current = next;
      mutate({ serviceCategory: next });
    },
  };
}

interface CreateButtonProps {
  readonly category: ServiceCategory;
  readonly creation: Creation;
  readonly look: 'primary' | 'quiet';
}

function CreateButton({ category, creation, look }: CreateButtonProps) {
  return (
    <Button
      look={look}
      data-create
      aria-disabled={creation.category !== undefined}
      onClick={() => creation.create(category)}
    >
      {creation.category === category ? (
        <LoaderCircle className={styles.busy} aria-hidden />
      ) : (
        <Plus aria-hidden />
      )}
      Create {CATEGORY_LABELS[category]} QR
    </Button>
  );
}
