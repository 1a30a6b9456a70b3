/** The dialog over the codes. Unsaved changes keep it open until they are discarded, also after Back. */
import { lazy, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { QrCode } from '#shared/qr-codes.ts';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { Dialog } from '../../ui/later/dialog.tsx';
import { LeaveQuestion, useUnsaved } from '../../ui/later/unsaved.tsx';
import { Loading, Skeleton } from '../../ui/states.tsx';
import { focusIfLost } from '../question.ts';
import { Fetched } from '../shared/fetched.tsx';
import { closeOpened } from './open-over.ts';
import { type Opening, useOpened } from './opening.ts';

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
  const { opening, id } = useOpened() ?? {};
  const [unsaved, setUnsaved] = useState<QrCode | null>(null);
  // A code that was replaced on another device stays for as long as something about it is unsaved.
  const code = codes.find((one) => one.id === id) ?? unsaved;
  const leaving = useUnsaved(unsaved !== null, () => setUnsaved(null));

  const shownId = opening === undefined ? undefined : code?.id;
  useEffect(() => {
    if (shownId === undefined) return;
    // A dialog that no button has opened, as after a reload, has nothing to give the focus back to.
    return () => focusIfLost(document.querySelector<HTMLElement>(`[data-code="${shownId}"]`));
  }, [shownId]);

  if (opening === undefined || code === null) return null;
  return (
    <>
      <Dialog
        key={opening + code.id}
        title={TITLES[opening]}
        size="screen"
        onClose={() => leaving.close(closeOpened)}
      >
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
              hasPublicPage={codes.some(({ isListed }) => isListed)}
              onUnsavedChange={(isChanged) => setUnsaved(isChanged ? code : null)}
              onSaved={() => {
                flushSync(() => setUnsaved(null));
                leaving.finish(closeOpened);
              }}
            />
          ) : (
            <PrintKit code={code} user={user} />
          )}
        </Fetched>
      </Dialog>
      <LeaveQuestion unsaved={leaving}>
        <p>The tip page has changes that are not saved.</p>
      </LeaveQuestion>
    </>
  );
}
