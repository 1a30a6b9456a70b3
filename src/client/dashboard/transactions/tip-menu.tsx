/** The menus of a row: what can be done about a received tip, and where a sent one leads. */
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import type { Transaction } from '#shared/tips.ts';
import { paths } from '../../paths.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { useTipActions } from '../messages/tip-actions.tsx';
import styles from './tip-menu.module.css';

interface TipMenuProps {
  readonly tip: Transaction;
  readonly onClose: () => void;
}

export function ReceivedTipMenu({ tip, onClose }: TipMenuProps) {
  const [isOpen, setOpen] = useState(true);
  const actions = useTipActions(tip, {
    onDone(sentence) {
      toastSuccess(sentence, 'about-tip');
      onClose();
    },
    onFailure(sentence) {
      toastError(sentence);
      onClose();
    },
  });
  if (!isOpen) return null;
  return (
    <Menu onClose={onClose}>
      {actions.map(({ name, label, hint, run }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={({ currentTarget }) => {
            const opener = openerOf(currentTarget);
            flushSync(() => setOpen(false));
            opener?.focus();
            run();
          }}
        >
          {label} {hint && <small className={styles.hint}>{hint}</small>}
        </button>
      ))}
      <Receipt tip={tip} onClose={onClose} />
    </Menu>
  );
}

export function SentTipMenu({ tip, onClose }: TipMenuProps) {
  return (
    <Menu onClose={onClose}>
      <Link role="menuitem" tabIndex={-1} href={paths.tip(tip.qrCodeId)} onClick={onClose}>
        Tip Again
      </Link>
      <Receipt tip={tip} onClose={onClose} />
    </Menu>
  );
}

/** The links close the menu, because browsers show a page again as it was left. */
function Receipt({ tip, onClose }: TipMenuProps) {
  return (
    <Link role="menuitem" tabIndex={-1} href={paths.transaction(tip.id)} onClick={onClose}>
      View Receipt
    </Link>
  );
}

interface MenuProps {
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The pattern "menu button" of the ARIA Authoring Practices. The button that opens it stands before it. */
function Menu({ onClose, children }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const close = useEffectEvent(onClose);

  useEffect(() => {
    menu.current?.scrollIntoView({ block: 'nearest' });
    itemsOf(menu.current)[0]?.focus();
    function leave({ target }: PointerEvent) {
      // The button closes it by itself.
      if (target instanceof Node && !menu.current?.parentElement?.contains(target)) close();
    }
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, []);

  function press(event: KeyboardEvent) {
    const items = itemsOf(menu.current);
    const focused = document.activeElement;
    const at = focused instanceof HTMLElement ? items.indexOf(focused) : -1;
    const places: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: items.length - 1,
    };
    const place = places[event.key];
    if (place !== undefined) items.at(place % items.length)?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') {
      openerOf(menu.current)?.focus();
      onClose();
    } else return;
    // From its button, Tab goes on as if the menu had not been there.
    if (event.key !== 'Tab') event.preventDefault();
  }

  return (
    <div ref={menu} role="menu" aria-label="More about this tip" className={styles.menu} onKeyDown={press}>
      {children}
    </div>
  );
}

function itemsOf(menu: HTMLElement | null): readonly HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
}

function openerOf(element: Element | null): HTMLElement | null {
  return (
    element?.closest('[role="menu"]')?.parentElement?.querySelector<HTMLElement>('[aria-haspopup]') ?? null
  );
}
