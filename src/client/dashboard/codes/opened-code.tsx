/** The dialog over the codes. Unsaved changes keep it open until they are discarded, also after Back. */
import { lazy, useEffect, useState } from 'react';
import type { QrCode } from '#shared/qr-codes.ts';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { Dialog } from '../../ui/later/dialog.tsx';
import { Loading, Skeleton } from '../../ui/states.tsx';
import { Fetched } from '../shared/fetched.tsx';
import { closeOpened, type Opening, openOver, useOpened } from './opening.ts';

const TipPageEditor = lazy(() =>
  import('./tip-page-editor.tsx').then(({ TipPageEditor }) => ({ default: TipPageEditor })),
);
const PrintKit = lazy(() => import('./print-kit.tsx').then(({ PrintKit }) => ({ default: PrintKit })));

const TITLES: Readonly<Record<Opening, string>> = { page: 'Your tip page', print: 'Print' };

interface OpenedCodeProps {
  readonly codes: readonly QrCode[];
  readonly user: KeptUser;
}

export function OpenedCode({ codes, user }: OpenedCodeProps) {
  const wanted = useOpened();
  const [unsavedId, setUnsavedId] = useState<string | null>(null);
  const { opening, id } = unsavedId === null ? (wanted ?? {}) : { opening: 'page' as const, id: unsavedId };
  const isLeaving = unsavedId !== null && (wanted?.opening !== 'page' || wanted.id !== unsavedId);
  const code = codes.find((one) => one.id === id);

  useEffect(() => {
    if (unsavedId === null) return;
    // The browser asks before it leaves the page (HTML Standard, "prompt to unload").
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [unsavedId]);

  if (opening === undefined || code === undefined) return null;
  return (
    <>
      <Dialog key={opening + code.id} title={TITLES[opening]} size="screen" onClose={closeOpened}>
        <Fetched
          sketch={
            <Loading>
              <Skeleton height="tall" />
            </Loading>
          }
        >
          {opening === 'page' ? (
            <TipPageEditor
              code={code}
              user={user}
              onUnsavedChange={(isUnsaved) => setUnsavedId(isUnsaved ? code.id : null)}
              onSaved={() => {
                setUnsavedId(null);
                closeOpened();
              }}
            />
          ) : (
            <PrintKit code={code} user={user} />
          )}
        </Fetched>
      </Dialog>
      {isLeaving && (
        <Confirmation
          title="Discard your changes?"
          confirm="Keep Editing"
          cancel="Discard"
          onConfirm={() => openOver('page', code.id)}
          onCancel={() => setUnsavedId(null)}
        >
          <p>The tip page has changes that are not saved.</p>
        </Confirmation>
      )}
    </>
  );
}
