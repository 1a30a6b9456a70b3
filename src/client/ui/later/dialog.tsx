/** A modal dialog. Browsers keep the focus in it and give it back afterwards (HTML Standard, "The dialog element"). */
import { X } from 'lucide-react';
import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import styles from './dialog.module.css';

/** Longer than the clicks of a double click are apart. */
const DOUBLE_CLICK_MS = 600;

/** The newest one last. */
const openDialogs: HTMLDialogElement[] = [];

interface DialogProps {
  readonly title: string;
  /** `question` is as small as its text; the others fill a phone, and `column` is as wide as one. */
  readonly size: 'question' | 'screen' | 'column';
  /** Called by Escape and by the button in the corner. The dialog stays until it is no longer rendered. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, size, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const openedMs = useRef(0);
  useLayoutEffect(() => {
    const opened = dialog.current;
    if (!opened) return;
    opened.showModal();
    // The clock of the page's events.
    openedMs.current = Number(document.timeline.currentTime);
    openDialogs.push(opened);
    moveToasts();
    return () => {
      const place = openDialogs.indexOf(opened);
      // An open dialog that is removed would lose the focus; one over it keeps the focus, and is closed first.
      if (place >= 0) for (const front of openDialogs.splice(place).reverse()) front.close();
      moveToasts();
    };
  }, []);

  function passOverDoubleClick(event: MouseEvent) {
    if (event.detail < 2 || event.timeStamp - openedMs.current > DOUBLE_CLICK_MS) return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <dialog
      ref={dialog}
      // The second click on what opened the dialog presses nothing in it.
      onClickCapture={passOverDoubleClick}
      className={[styles.dialog, styles[size]].join(' ')}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        if (event.cancelable) onClose();
      }}
      // Browsers let nobody refuse Escape again and again. What asks about leaving opens over what is shown anew.
      onClose={(event) => {
        if (event.target !== event.currentTarget) return;
        event.currentTarget.showModal();
        onClose();
      }}
    >
      <div className={styles.head}>
        <h2 id={titleId} tabIndex={-1} ref={focusWhenShown}>
          {title}
        </h2>
        {size !== 'question' && (
          <button type="button" className={styles.close} aria-label="Close" onClick={onClose}>
            <X aria-hidden />
          </button>
        )}
      </div>
      {children}
    </dialog>
  );
}

/** Moves the toasts (toaster.tsx) into the newest open dialog, which lies over everything outside it, or back. */
function moveToasts(): void {
  const toasts = document.getElementById('toasts');
  const front = openDialogs.at(-1) ?? document.body;
  if (toasts) front.append(toasts);
}

/** Gives the title the first focus, so that reading begins there; React would focus it too early. */
function focusWhenShown(title: HTMLHeadingElement | null): void {
  title?.setAttribute('autofocus', '');
}
